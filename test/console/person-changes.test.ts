import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict';
import { runErasure } from '../../core/people/erasure-job.ts';
import { runMerge } from '../../core/people/merge-job.ts';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, text } from '../support/console-visitor.ts';
import { idIn } from '../support/mailings.ts';

describe('what accounts changed about a person', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;
  let who: string;
  let other: string;

  before(async () => {
    api = await startApi();
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
    who = await api.create('user', { email: 'ann@example.org' });
    other = await api.create('user', { email: 'ben@example.org' });
  });
  after(() => api.close());

  const page = async (uri: string) => {
    const answer = await visitor.get(`/console/people/${idIn(uri)}/changes/`);
    equal(answer.statusCode, 200, text(answer.body));
    return [...answer.body.matchAll(/<code>([^<]*)<\/code>/g)].map(([, line]) => line!);
  };
  /** The log is written in groups. */
  const written = async (uri: string, line: string) => {
    for (let tries = 0; tries < 4000; tries++) {
      const lines = await page(uri);
      if (lines.includes(line)) return lines;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${line} is not among ${(await page(uri)).join(', ')}`);
  };

  it('has what made them, what was written below their addresses, merges and erasures, and nothing of others', async () => {
    const [id, gone] = [idIn(who), idIn(await api.create('user', { email: 'cy@example.org' }))];
    await api.call('PATCH', who, { city: 'Oakland' });
    await api.call('POST', `${who}logintoken/`, {});
    const merge = await api.create('usermerge', {
      primary_user: who,
      users: [`/rest/v1/user/${gone}/`],
      address_user: who,
      source_user: who,
    });
    await runMerge({ pool: api.pool, log: api.app.log }, idIn(merge));
    await api.call('POST', '/rest/v1/subscription/', { user: who, list: 999999 });
    const erased = api.call('POST', '/rest/v1/eraser', { user_id: id });
    let job: { id: number } | undefined;
    while (!job) job = (await api.pool.query('select id from core_erasure')).rows[0];
    await runErasure({ pool: api.pool, env: api.env, log: api.app.log as never }, job.id);
    equal((await erased).statusCode, 303);
    await visitor.post(`/console/people/${id}/erase/`, { _csrf: visitor.token(await visitor.get(`/console/people/${id}/`)), typed: 'x' });
    const lines = await written(who, `POST /console/people/${id}/erase/`);
    deepEqual(lines, [
      `POST /console/people/${id}/erase/`,
      'POST /rest/v1/eraser',
      'POST /rest/v1/usermerge/',
      `POST ${who}logintoken/`,
      `PATCH ${who}`,
      'POST /rest/v1/user/',
    ]);
    deepEqual(await page(other), ['POST /rest/v1/user/']);
  });

  it('goes on behind a page, across both', async () => {
    const last = (await api.pool.query('select max(id)::int as id from core_auditlog')).rows[0].id;
    await api.pool.query(
      `insert into core_auditlog (id, account_id, username, method, path, status) select $2 + n, 1, 'admin', 'PATCH', $1, 202 from generate_series(1, 50) n`,
      [other, last],
    );
    const { body } = await visitor.get(`/console/people/${idIn(other)}/changes/`);
    doesNotMatch(body, /POST \/rest\/v1\/user\/</);
    const next = /href="([^"]*before=\d+)"/.exec(body)![1]!;
    match((await visitor.get(next)).body, /POST \/rest\/v1\/user\/</);
  });

  const PATHS = {
    'of many kinds': `(array['/rest/v1/user/', '/rest/v1/eraser/', '/rest/v1/user/' || (1000 + n) || '/'])[1 + n % 3]`,
    'of one kind': `'/rest/v1/user/'`,
  };
  for (const [kind, path] of Object.entries(PATHS)) {
    it(`reads a few lines of a large log of writes ${kind}`, async () => {
      const last = (await api.pool.query('select max(id)::int as id from core_auditlog')).rows[0].id;
      await api.pool.query(
        `insert into core_auditlog (id, account_id, username, method, path, location, status, created_at)
         select ${last} + n, 1, 'admin', 'POST', ${path}, '/rest/v1/user/' || (1000 + n) || '/', 201, now() - make_interval(mins => n) from generate_series(1, 60000) n`,
      );
      await api.pool.query('analyze core_auditlog');
      const query = api.pool.query.bind(api.pool) as (text: string, values?: unknown[]) => Promise<never>;
      const asked: [statement: string, values?: unknown[]][] = [];
      api.pool.query = ((text: string, values?: unknown[]) => {
        if (String(text).includes('left_behind')) asked.push([text, values]);
        return query(text, values);
      }) as never;
      try {
        await page(who);
      } finally {
        api.pool.query = query as never;
      }
      equal(asked.length, 1);
      for (const [statement, values] of asked) {
        const { rows } = await api.pool.query(`explain (analyze, format json) ${statement}`, values);
        const read = rowsRead(rows[0]['QUERY PLAN'][0].Plan);
        ok(read < 500, `${read} rows by ${statement}`);
      }
      await api.pool.query('delete from core_auditlog where id > $1', [last]);
    });
  }
});

interface Plan {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: Plan[];
}

/** Of all steps, with those that were of no use. */
function rowsRead(plan: Plan): number {
  const each = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Join Filter'] ?? 0);
  return each * plan['Actual Loops'] + (plan.Plans ?? []).reduce((sum, below) => sum + rowsRead(below), 0);
}
