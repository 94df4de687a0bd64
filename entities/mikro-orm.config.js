import '../config/dot-env.ts';
import { needed, readEnv } from '../config/env.ts';
import { ormOptions } from './orm.ts';

// For MikroORM's command line, `npx mikro-orm`: it works on the database of DATABASE_URL. The file is JavaScript because that command looks for a
// loader of TypeScript before it takes any other, and Node.js needs none.
const { DATABASE_URL } = needed(readEnv(process.env), 'DATABASE_URL');
export default ormOptions({ DATABASE_URL, DATABASE_POOL: 2 });
