import { writeFile } from 'node:fs/promises';
import { reportDiagram } from '../core/reports/report-diagram.ts';
import { connectOrm } from '../entities/orm.ts';
import { takeNothing } from './command.ts';

// npm run report-diagram: writes docs/report-tables.md from the entities. No database is asked.
takeNothing('npm run report-diagram');
const orm = await connectOrm({ DATABASE_URL: 'postgres://nobody@127.0.0.1/none', DATABASE_POOL: 1 });
await writeFile(new URL('../docs/report-tables.md', import.meta.url), reportDiagram(orm.getMetadata().getAll().values()));
