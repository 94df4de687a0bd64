import type { BoundStatement } from '../../domain/reports/placeholders.ts';

/** Setting of a session for a statement of MySQL's dialect: what its words mean is found first, for such statements alone. */
export const searchPathOf = ({ dialect }: BoundStatement): string => (dialect === 'mysql' ? '-c search_path=mysql,pg_catalog,report' : '');
