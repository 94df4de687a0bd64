import pg from 'pg';

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}

/**
 * How many rows of a table the statements of some work look at, by whatever way, those counted in that do not match: what it costs does not depend on the machine.
 * What it was told to change is changed, the statements being asked for their plans afterwards, in a transaction that is rolled back.
 * @param table null is all that any step of the plans hands on or passes over, whatever it comes from
 */
export async function rowsRead(pool: pg.Pool, table: string | null, work: () => Promise<unknown>): Promise<number> {
  const client = await pool.connect();
  try {
    let rows = 0;
    const look = (plan: Plan) => {
      const passed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
      if ((table === null || plan['Relation Name'] === table) && plan['Node Type'] !== 'ModifyTable')
        rows += (plan['Actual Rows'] + passed) * plan['Actual Loops'];
      plan.Plans?.forEach(look);
    };
    for (const { text, values } of await sentBy(work)) {
      await client.query('begin');
      const { rows: answer } = await client.query(`explain (analyze, timing off, format json) ${text}`, values);
      await client.query('rollback');
      look(answer[0]['QUERY PLAN'][0].Plan);
    }
    return rows;
  } finally {
    client.release(true);
  }
}

interface Sent {
  text: string;
  values: unknown[];
}

/** Of the work that is watched just now; null where none is. */
let sent: Sent[] | null = null;

async function sentBy(work: () => Promise<unknown>): Promise<Sent[]> {
  const all: Sent[] = [];
  sent = all;
  try {
    await work();
  } finally {
    sent = null;
  }
  return all;
}

// From the first connection on: ours keep what they find when they are made.
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (this: pg.Client, first: string | pg.QueryConfig, second?: unknown[]) {
  const text = typeof first === 'string' ? first : first.text;
  if (/^\s*(select|with|delete|update)\b/i.test(text ?? ''))
    sent?.push({ text, values: (typeof first === 'string' ? second : first.values) ?? [] });
  // biome-ignore lint/complexity/noArguments: passed on as it came
  return (query as (...all: unknown[]) => unknown).apply(this, [...arguments]);
} as never;
