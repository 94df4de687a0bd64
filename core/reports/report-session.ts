import type { BoundStatement } from '../../domain/reports/placeholders.ts';

/** Settings of a session that runs a statement of somebody's. What MySQL's dialect means by its words is found first, for its statements alone. */
export const sessionOf = ({ dialect }: BoundStatement): string =>
  `-c timezone=UTC${dialect === 'mysql' ? ' -c search_path=mysql,pg_catalog,report' : ''}`;
