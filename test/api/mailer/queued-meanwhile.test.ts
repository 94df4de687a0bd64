import { deepEqual, equal } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { newConnection } from '../../../db/driver.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { idIn, makeReady } from '../../support/mailings.ts';
import { insertPeople } from '../../support/people.ts';
import { untilWaiting } from '../../support/sessions.ts';

describe('what a mailing needs that is queued at the moment it is deleted', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.create('list', { name: 'News' });
    await insertPeople(api.pool, [{ id: 1, email: 'one@example.org', lists: [1] }]);
    await api.pool.query(
      `create table queued_then as select 1; create function waits() returns trigger language plpgsql as $$ begin perform from queued_then for update; return new; end $$;
       create trigger waits before update of queued_by_id on core_mailing for each row execute function waits()`,
    );
  });
  after(() => api.close());

  const KINDS: [string, object, string, string][] = [
    ['fromline', { from_line: '"Ann" <ann@example.org>' }, 'fromline', 'goes out from this from line.'],
    ['language', { name: 'French', iso_code: 'fr' }, 'lang', 'goes out in this language.'],
    ['signuppage', { name: 'land' }, 'landing_page', 'has this page as its landing page.'],
    ['emailwrapper', { name: 'Letter', template: '{{ content }}' }, 'emailwrapper', 'goes out in this wrapper.'],
  ];
  for (const [resource, body, field, said] of KINDS)
    it(`is kept: a ${resource}`, async () => {
      const uri = await api.create(resource, body);
      const mailing = await makeReady(api, { [field]: uri });
      const other = newConnection(api.databaseUrl);
      await other.connect();
      try {
        // Both wait for the same row, in the order they came.
        await other.query('begin');
        await other.query('select from core_mailing where id = $1 for update', [idIn(mailing)]);
        const queued = api.call('POST', `${mailing}queue/`);
        await untilWaiting(api.pool);
        const deleted = api.call('DELETE', uri);
        await untilWaiting(api.pool, 2);
        await other.query('commit');
        const { statusCode, body: answer } = await deleted;
        equal((await queued).statusCode, 201);
        deepEqual([statusCode, answer], [400, JSON.stringify({ [resource]: { id: [`Mailing ${idIn(mailing)} ${said}`] } })]);
        equal((await api.read(mailing)).status, 'queued');
      } finally {
        await other.end();
      }
    });

  const NAMELESS: [string, object, object, string][] = [
    ['snippet', { name: 'foot', html: 'Bye' }, { html: '<p>Hello</p>{% include "foot" %}' }, 'includes this snippet.'],
    ['emailwrapper', { name: 'Usual', template: '{{ content }}', is_default: true }, {}, 'goes out in this wrapper.'],
    ['queryreport', { name: 'Sum', short_name: 'sum', sql: 'select 1' }, { html: '<p>{% report "sum" %}</p>' }, 'shows this report.'],
  ];
  for (const [resource, body, fields, said] of NAMELESS)
    it(`is kept where it was looked at, and is not named by its number: a ${resource}`, async () => {
      await api.pool.query(`update core_mailing set status = 'completed'`);
      const uri = await api.create(resource, body);
      const mailing = await makeReady(api, fields);
      const other = newConnection(api.databaseUrl);
      await other.connect();
      try {
        // The mailing is queued once it has been looked at.
        await other.query('begin');
        await other.query('select from queued_then for update');
        const waiting = async (where: string) =>
          (
            await api.pool.query(
              `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and ${where}`,
            )
          ).rowCount! > 0;
        const queued = api.call('POST', `${mailing}queue/`);
        while (!(await waiting('true'))) await sleep(10);
        let over = false;
        const deleted = api.call('DELETE', uri).finally(() => {
          over = true;
        });
        while (!over && !(await waiting(`wait_event = 'advisory'`))) await sleep(10);
        await other.query('commit');
        const { statusCode, body: answer } = await deleted;
        equal((await queued).statusCode, 201);
        deepEqual([statusCode, answer], [400, JSON.stringify({ [resource]: { id: [`Mailing ${idIn(mailing)} ${said}`] } })]);
      } finally {
        await other.end();
      }
    });
});

describe('what stands beside a mailing that is changed while somebody waits for it', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi({ REQUIRE_DOMAIN_CHECK: 'true' });
    await api.create('list', { name: 'News' });
    await insertPeople(api.pool, [{ id: 1, email: 'one@example.org', lists: [1] }]);
    await api.pool.query(`insert into sender_check (domain, passed, items) values ('example.org', true, '[]')`);
  });
  after(() => api.close());

  /** What a request is answered that waits for a change of the mailing. */
  async function behind(mailing: string, change: string, ask: () => ReturnType<TestApi['call']>) {
    const other = newConnection(api.databaseUrl);
    await other.connect();
    try {
      await other.query('begin');
      await other.query('select from core_mailing where id = $1 for update', [idIn(mailing)]);
      await other.query(change, [idIn(mailing)]);
      const answer = ask();
      await untilWaiting(api.pool);
      await other.query('commit');
      return await answer;
    } finally {
      await other.end();
    }
  }
  const RENAMED = `update core_mailingsubject set text = 'Theirs' where mailing_id = $1`;

  it('is put back by who wants it as it was', async () => {
    const mailing = await makeReady(api);
    equal((await behind(mailing, RENAMED, () => api.call('PATCH', mailing, { subjects: ['Hello'] }))).statusCode, 202);
    deepEqual((await api.read(mailing)).subjects, ['Hello']);
  });

  it('is frozen as it is for who changes something else once it is queued', async () => {
    const mailing = await makeReady(api);
    const queued = `with renamed as (${RENAMED}) update core_mailing set status = 'queued', queued_at = now() where id = $1`;
    const late = await behind(mailing, queued, () => api.call('PATCH', mailing, { subjects: ['Hello'], notes: 'mine' }));
    deepEqual([late.statusCode, (await api.read(mailing)).subjects], [400, ['Theirs']]);
  });

  it('is who it is from, whose domain has to have been checked', async () => {
    const mailing = await makeReady(api);
    const from = `with line as (insert into core_fromline (from_line) values ('"Eve" <eve@unchecked.example>') returning id)
      update core_mailing set fromline_id = line.id from line where core_mailing.id = $1`;
    const queued = await behind(mailing, from, () => api.call('POST', `${mailing}queue/`));
    deepEqual([queued.statusCode, (await api.read(mailing)).status], [400, 'draft'], queued.body);
  });

  it('are the reviewers that were named last', async () => {
    const mailing = await makeReady(api);
    const proofs = (more: object = {}) => api.call('POST', `${mailing}proofs/`, { proofs: 1, ...more });
    equal((await proofs({ reviewers: ['first@example.org'] })).statusCode, 201);
    const named = `insert into core_mailingproof (mailing_id, proofs, reviewers) values ($1, 1, '["second@example.org"]')`;
    equal((await behind(mailing, named, () => proofs())).statusCode, 201);
    const { rows } = await api.pool.query('select reviewers from core_mailingproof where mailing_id = $1 order by id desc limit 1', [
      idIn(mailing),
    ]);
    deepEqual(rows[0].reviewers, ['second@example.org']);
  });
});
