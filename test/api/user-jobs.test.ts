import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';
import { simpleParser } from 'mailparser';
import { temporalWorkflows } from '../../api/plugins/workflows.ts';
import { erasedEmailHash } from '../../core/people/erase.ts';
import { UnavailableError } from '../../domain/errors.ts';
import type { Mail } from '../../mail/contracts.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { merge } from '../support/merging.ts';
import { putInSet, ScriptedRelay } from '../support/sending.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

const idOf = (uri: string) => Number(uri.match(/(\d+)\/?$/)![1]);

describe('jobs about users', () => {
  let api: TestApi;
  let place: TestNamespace;
  let people = 0;
  const make = (more: object = {}) => api.create('user', { email: `person${++people}@example.org`, ...more });
  const relay = new ScriptedRelay(1);
  const mails: string[] = [];
  const startWorker = () => runWorker(place, { DATABASE_URL: api.databaseUrl, SMTP_URL: 'smtp://127.0.0.1:1' }, { relay });

  async function settled(uri: string) {
    for (let tries = 0; tries < 3000; tries++) {
      const job = await api.read(uri);
      if (job.status !== 'pending') return job;
      await later(50);
    }
    throw new Error(`${uri} is still pending`);
  }

  before(async () => {
    api = await startApi();
    place = await createNamespace();
    const real = temporalWorkflows(place.client);
    api.workflows.start = (start) => real.start(start);
  });
  after(() => api.close());

  describe('usermerge', () => {
    it('names what is wrong with a request, and writes no job', async () => {
      const [a, b, c] = [await make(), await make(), await make()];
      const good = { primary_user: a, users: [b], address_user: a, source_user: b };
      const wrong: [string, object][] = [
        ['primary_user', { primary_user: null }],
        ['primary_user', { primary_user: '/rest/v1/list/1/' }],
        ['primary_user', { primary_user: 999_999, address_user: 999_999, source_user: 999_999 }],
        ['users', { users: [] }],
        ['users', { users: [a] }],
        ['users', { users: b }],
        ['users', { users: ['/rest/v1/user/999999/'], source_user: a }],
        ['address_user', { address_user: c }],
        ['source_user', { source_user: c }],
        ['sms_user', { sms_user: c }],
        ['lists', { lists: ['/rest/v1/list/999999/'] }],
        ['lists', { lists: 'all' }],
      ];
      for (const [field, change] of wrong) {
        const answer = await api.call('POST', '/rest/v1/usermerge/', { ...good, ...change });
        assert.equal(answer.statusCode, 400, JSON.stringify(change));
        assert.ok(Object.keys(answer.json().errors).includes(field), answer.body);
      }
      assert.equal((await api.read('/rest/v1/usermerge/')).meta.total_count, 0);
    });

    it('is pending until a worker comes, refuses a second merge of its users, and completes', async () => {
      const list = await api.create('list', { name: 'merge' });
      const [a, b, c] = [await make({ zip: '10001' }), await make({ zip: '94110', source: 'booth' }), await make()];
      await api.create('subscription', { user: b, list });
      const uri = await api.create('usermerge', { primary_user: a, users: [b], address_user: b, source_user: b });
      const job = await api.read(uri);
      assert.deepEqual(
        [job.status, job.primary_user, job.users, job.address_user, job.source_user, job.sms_user, job.lists, job.errors],
        ['pending', a, [b], b, b, null, null, []],
      );
      for (const again of [
        { primary_user: b, users: [c], address_user: c, source_user: c },
        { primary_user: c, users: [a], address_user: c, source_user: c },
      ]) {
        const answer = await api.call('POST', '/rest/v1/usermerge/', again);
        assert.equal(answer.statusCode, 400);
        assert.ok(/pending/.test(answer.body));
      }
      await startWorker();
      assert.equal((await settled(uri)).status, 'complete');
      const kept = await api.read(a);
      assert.deepEqual([kept.zip, kept.city, kept.source, kept.subscription_status], ['94110', 'San Francisco', 'booth', 'subscribed']);
      assert.equal((await api.read(kept.location)).timezone, 'America/Los_Angeles');
      assert.equal((await api.call('GET', b)).statusCode, 404);
      const { objects } = await api.read(kept.subscriptionhistory);
      assert.ok(objects.length > 0);
      assert.deepEqual((await api.read(uri)).users, [b]);
    });

    it('fails and changes nobody when a user has gone in between', async () => {
      const [a, b, c] = [await make(), await make({ source: 'kept' }), await make()];
      const { rows } = await api.pool.query(
        `insert into core_usermerge (primary_user, users, address_user, source_user) values ($1, $2, $1, $1) returning id`,
        [idOf(a), JSON.stringify([idOf(b), idOf(c)])],
      );
      await api.call('DELETE', c);
      const id = rows[0].id;
      const run = { taskQueue: 'campaign', workflowId: `user-merge-${id}`, args: [{ jobId: id }] };
      await place.client.workflow.execute('mergeUsers', run);
      const job = await api.read(`/rest/v1/usermerge/${id}/`);
      assert.equal(job.status, 'failed');
      assert.deepEqual(job.errors, [`There is no user ${idOf(c)} any more.`]);
      assert.equal((await api.read(b)).source, 'kept');
    });

    it('goes into nobody who was erased, be it in between: whoever became them would be mailed no more', async () => {
      const [a, b] = [await make(), await make()];
      const { rows } = await api.pool.query(
        `with erased as (insert into core_erasure (user_id, status) values ($1, 'complete'))
         insert into core_usermerge (primary_user, users, address_user, source_user) values ($1, $2, $1, $1) returning id`,
        [idOf(a), JSON.stringify([idOf(b)])],
      );
      const id = rows[0].id;
      await place.client.workflow.execute('mergeUsers', { taskQueue: 'campaign', workflowId: `user-merge-${id}`, args: [{ jobId: id }] });
      assert.deepEqual((await api.read(`/rest/v1/usermerge/${id}/`)).errors, [`User ${idOf(a)} was erased.`]);
      const answer = await api.call('POST', '/rest/v1/usermerge/', { primary_user: a, users: [b], address_user: a, source_user: a });
      assert.equal(answer.statusCode, 400);
      assert.match(answer.json().errors.primary_user[0], /was erased/);
      await api.read(b);
    });

    it('is written down even while the workflow service is away', async () => {
      const real = api.workflows.start;
      api.workflows.start = () => Promise.reject(new UnavailableError('away'));
      const [a, b] = [await make(), await make()];
      const uri = await api.create('usermerge', { primary_user: a, users: [b], address_user: a, source_user: a });
      api.workflows.start = real;
      await api.pool.query(`update core_usermerge set updated_at = now() - interval '1 minute' where id = $1`, [idOf(uri)]);
      await place.client.workflow.execute('sweep', { taskQueue: 'campaign', workflowId: 'sweep-1' });
      assert.equal((await settled(uri)).status, 'complete');
    });
  });

  describe('eraser', () => {
    const NAME = 'Zerubbabel';
    const EMAIL = 'zerubbabel@example.org';
    const ALL = { order_user_details: true, user_fields: true, action_fields: true, transactional_mailings: true };

    it('needs exactly one of user_id and email, of somebody who is there', async () => {
      const uri = await make();
      const id = idOf(uri);
      const { email } = await api.read(uri);
      const wrong = [
        {},
        { user_id: id, email },
        { user_id: 999_999 },
        { email: 'nobody@example.org' },
        { user_id: 'x' },
        { user_id: [id] },
      ];
      wrong.push(
        { user_id: id, user_fields: 'maybe' } as never,
        { user_id: id, action_fields: ['1'] } as never,
        { email: { a: 1 } } as never,
      );
      for (const body of wrong) {
        const answer = await api.call('POST', '/rest/v1/eraser/', body);
        assert.equal(answer.statusCode, 400, JSON.stringify(body));
        assert.ok(answer.json().errors);
      }
      assert.equal((await api.read(uri)).email, email);
    });

    async function makeFull(): Promise<string> {
      const uri = await make({
        email: EMAIL,
        first_name: NAME,
        last_name: NAME,
        zip: '10001',
        address1: `${NAME} Street`,
        phones: [{ phone: '555 0199', source: NAME }],
        fields: { nick: NAME },
      });
      const list = await api.create('list', { name: `list ${people}` });
      await api.create('subscription', { user: uri, list });
      const page = `page${people}`;
      await api.create('signuppage', { name: page, list });
      await api.call('POST', '/rest/v1/action/', { page, email: EMAIL, action_why: NAME });
      await api.call('POST', `${uri}logintoken/`);
      const id = idOf(uri);
      const campaign = await api.create('campaign', { name: `campaign ${people}` });
      const event = await api.create('event', { campaign, creator: uri, fields: { host: NAME } });
      await api.create('eventsignup', { user: uri, event, fields: { diet: NAME } });
      await api.pool.query(`insert into core_bounce (user_id, kind, diagnostic) values ($1, 'soft', $2)`, [id, `550 ${EMAIL} unknown`]);
      await api.pool.query(`insert into core_transactionalmailing (user_id, email) values ($1, $2)`, [id, EMAIL]);
      const detail = await api.pool.query(
        `insert into core_orderuserdetail (user_id, email, first_name) values ($1, $2, $3) returning id`,
        [id, EMAIL, NAME],
      );
      assert.ok(detail.rows[0].id);
      await api.pool.query(`insert into core_donationattempt (email, name, page, errors) values ($1, $2, 'give', $3)`, [
        EMAIL.toUpperCase(),
        NAME,
        JSON.stringify({ user: `${EMAIL}?` }),
      ]);
      return uri;
    }

    /** Tables in which a text is found, whatever the column. */
    async function tablesWith(text: string): Promise<string[]> {
      const { rows } = await api.pool.query<{ tablename: string }>(
        `select tablename from pg_tables where schemaname = 'public' order by 1`,
      );
      const found: string[] = [];
      for (const { tablename: table } of rows) {
        const { rowCount } = await api.pool.query(`select 1 from "${table}" x where x::text ilike $1 limit 1`, [`%${text}%`]);
        if (rowCount) found.push(table);
      }
      return found;
    }

    it('leaves no trace of the person in the whole database, nor in the histories of workflows', async () => {
      const uri = await makeFull();
      const { created_at } = await api.read(uri);
      assert.ok((await tablesWith(NAME)).length >= 8);
      const answer = await api.call('POST', '/rest/v1/eraser/', { email: EMAIL.toUpperCase(), ...ALL });
      assert.equal(answer.statusCode, 303, answer.body);
      assert.equal(answer.body, '');
      assert.equal(answer.headers.location, `http://platform.test${uri}`);
      assert.deepEqual(await tablesWith(NAME), []);

      const user = await api.read(uri);
      assert.deepEqual(
        [user.created_at, user.first_name, user.zip, user.fields, user.phones, user.location, user.original, user.subscription_status],
        [created_at, '', '', {}, [], null, null, 'unsubscribed'],
      );
      assert.ok(/^erased-[0-9a-f-]{36}@erased\.invalid$/.test(user.email));
      const { rows } = await api.pool.query('select email_hash, status from core_erasure where user_id = $1', [idOf(uri)]);
      assert.deepEqual(rows, [{ email_hash: erasedEmailHash(api.env.SECRET_KEY, EMAIL), status: 'complete' }]);
      const { objects } = await api.read(user.subscriptionhistory);
      assert.ok(objects.some((each: { change: string }) => each.change === 'unsubscribe_erase'));
      assert.equal((await api.read(user.actions)).meta.total_count, 1);
      for await (const run of place.client.workflow.list()) {
        const history = await place.client.workflow.getHandle(run.workflowId, run.runId).fetchHistory();
        const text = JSON.stringify(history, (_key, value) => (value instanceof Uint8Array ? Buffer.from(value).toString() : value));
        assert.ok(!text.toLowerCase().includes(NAME.toLowerCase()), run.workflowId);
      }
    });

    it('leaves none either of an address that went with a merge', async () => {
      const uri = await makeFull();
      const stays = await make();
      await merge(api.pool, idOf(stays), [idOf(uri)]);
      const answer = await api.call('POST', '/rest/v1/eraser/', { user_id: idOf(stays), ...ALL });
      assert.equal(answer.statusCode, 303, answer.body);
      assert.deepEqual(await tablesWith(NAME), []);
    });

    it('keeps what was not asked for', async () => {
      const uri = await makeFull();
      await api.call('POST', '/rest/v1/eraser/', { user_id: idOf(uri) });
      assert.deepEqual((await api.read(uri)).fields, { nick: NAME });
      assert.deepEqual(await tablesWith(NAME), [
        'core_actionfield',
        'core_donationattempt',
        'core_orderuserdetail',
        'core_transactionalmailing',
        'core_userfield',
        'events_event',
        'events_eventsignup',
      ]);
    });

    it('takes the person out of a sending that is under way', async () => {
      const uri = await make();
      const { rows } = await api.pool.query(`insert into core_mailing (status) values ('sending') returning id`);
      const mailing: number = rows[0].id;
      await putInSet(api.pool, mailing, [Number(idOf(uri))]);
      await api.pool.query(
        `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, held_until)
         values ($1, 0, 1, 10, 0, now() + interval '1 minute')`,
        [mailing],
      );
      await api.call('POST', '/rest/v1/eraser/', { user_id: idOf(uri) });
      const ledger = await api.pool.query(
        'select l.state, s.skipped from send_record l join send_shard s using (mailing_id) where mailing_id = $1',
        [mailing],
      );
      assert.deepEqual(ledger.rows, [{ state: 4, skipped: 1 }]);
    });

    it('is answered as any that takes its time where the database is lost while it is waited for', async () => {
      const other = await startApi();
      try {
        const uri = await other.create('user', { email: EMAIL });
        const { query } = other.pool;
        other.workflows.start = async ({ input }) => {
          await other.pool.query(`update core_erasure set status = 'complete' where id = $1`, [(input as { jobId: number }).jobId]);
          let left = 2;
          mock.method(other.pool, 'query', function (this: typeof other.pool, ...given: unknown[]) {
            if (!/core_erasure/.test(String(given[0])) || left-- <= 0) return (query as (...all: unknown[]) => unknown).apply(this, given);
            return Promise.reject(Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' }));
          });
          return 'started';
        };
        const answer = await other.call('POST', '/rest/v1/eraser/', { user_id: idOf(uri) });
        assert.deepEqual([answer.statusCode, answer.headers.location], [303, `http://platform.test${uri}`], answer.body);
      } finally {
        mock.restoreAll();
        await other.close();
      }
    });

    it('is not answered as done while the address is still kept to search results of reports for it', async () => {
      const other = await startApi();
      try {
        const uri = await other.create('user', { email: EMAIL });
        const end = `update core_erasure set status = 'complete', to_find = $2 where id = $1`;
        let searched = false;
        other.workflows.start = async ({ input }) => {
          const { jobId } = input as { jobId: number };
          await other.pool.query(end, [jobId, [EMAIL]]);
          setTimeout(() => {
            searched = true;
            void other.pool.query(end, [jobId, null]);
          }, 500);
          return 'started';
        };
        const { statusCode } = await other.call('POST', '/rest/v1/eraser/', { user_id: idOf(uri) });
        assert.deepEqual([statusCode, searched], [303, true]);
      } finally {
        await other.close();
      }
    });

    it('answers 201 where clients of live servers expect it', async () => {
      const live = await startApi({ API_STATUS_CODES: 'live' });
      try {
        const uri = await live.create('user', { email: EMAIL });
        live.workflows.start = async ({ input }) => {
          await live.pool.query(`update core_erasure set status = 'complete' where id = $1`, [(input as { jobId: number }).jobId]);
          return 'started';
        };
        const answer = await live.call('POST', '/rest/v1/eraser/', { user_id: idOf(uri) });
        assert.deepEqual([answer.statusCode, answer.headers.location], [201, `http://platform.test${uri}`]);
      } finally {
        await live.close();
      }
    });
  });

  describe('confirmations', () => {
    const rows = async () =>
      (await api.pool.query(`select status, detail from core_transactionalmailing where kind = 'confirmation' order by id`)).rows;
    async function settledRows(count: number) {
      for (let tries = 0; tries < 3000; tries++) {
        const all = await rows();
        if (all.length === count && all.every(({ status }) => status !== 'pending' && status !== 'sending')) return all;
        await later(50);
      }
      throw new Error(`not settled: ${JSON.stringify(await rows())}`);
    }

    before(async () => {
      await api.create('signuppage', {
        name: 'confirmed',
        followup: { send_email: true, email_subject: 'Thanks, {{ user.first_name }}', email_body: '<p>We have got {{ user.email }}.</p>' },
      });
      relay.answer = (mail) => {
        mails.push(mail.message);
        return mails.length === 1 ? { kind: 'unsent', reply: 'no connection', relay: 'down' } : { kind: 'accepted', reply: '250 ok' };
      };
    });

    it('are sent once, whatever the relay does first', async () => {
      const answer = await api.call('POST', '/rest/v1/action/', { page: 'confirmed', email: 'conny@example.org', first_name: 'Conny' });
      assert.equal(answer.statusCode, 201);
      assert.deepEqual(await settledRows(1), [{ status: 'sent', detail: '' }]);
      assert.equal(mails.length, 2);
      assert.ok(/^Subject: Thanks, Conny\r$/m.test(mails[1]!), mails[1]);
      assert.ok(mails[1]!.replace(/=\r\n/g, '').includes('We have got conny'));
      const ids = mails.map((mail) => /^Message-ID: <(one-off\.\d+-[0-9a-f]+\.[^>]+)>/m.exec(mail)?.[1]);
      assert.ok(ids[0] && ids[0] === ids[1]);
    });

    it('are not sent when the submission or a blackhole says so', async () => {
      await api.call('POST', '/rest/v1/action/', { page: 'confirmed', email: 'quiet@example.org', skip_confirmation: '1' });
      await api.create('blackholedemail', { email: 'hole@example.org' });
      await api.call('POST', '/rest/v1/action/', { page: 'confirmed', email: 'hole@example.org' });
      assert.equal((await rows()).length, 1);
    });

    it('are uncertain, not sent twice, when the worker died with one on the wire; and swept up when their run was never started', async () => {
      const user = idOf(await make());
      const { rows: made } = await api.pool.query(
        `insert into core_action (user_id, page_id) select $1, id from core_page, generate_series(1, 2) where name = 'confirmed' returning id`,
        [user],
      );
      await api.pool.query(
        `insert into core_transactionalmailing (user_id, action_id, kind, email, status, updated_at)
         select $1, unnest($2::int[]), 'confirmation', 'x@example.org', unnest(array['sending', 'pending']), now() - interval '1 minute'`,
        [user, made.map(({ id }) => id)],
      );
      const sent = mails.length;
      await place.client.workflow.execute('sweep', { taskQueue: 'campaign', workflowId: 'sweep-2' });
      const all = await settledRows(3);
      assert.deepEqual(
        all.slice(1).map(({ status }) => status),
        ['uncertain', 'sent'],
      );
      assert.equal(mails.length, sent + 1);
    });
  });

  describe('notifications', () => {
    it('tell each address of every action, once, without touching the lists of who acted', async () => {
      await api.create('blackholedemail', { email: 'gone@staff.example' });
      await api.create('petitionpage', {
        name: 'noticed',
        title: 'Save the <tree>',
        followup: { send_notifications: true, notifications: ['one@staff.example', 'gone@staff.example', 'two@staff.example'] },
      });
      const sent: Mail[] = [];
      relay.answer = (mail) => {
        sent.push(mail);
        return { kind: 'accepted', reply: '250 ok' };
      };
      const answer = await api.call('POST', '/rest/v1/action/', {
        page: 'noticed',
        email: 'nora@example.org',
        first_name: 'Nora\r\nBcc: all@example.org',
        action_why: '<b>Because</b>',
        skip_confirmation: true,
      });
      assert.equal(answer.statusCode, 201, answer.body);
      for (let tries = 0; tries < 4000 && sent.length < 2; tries++) await later(50);
      assert.deepEqual(sent.map(({ envelopeTo }) => envelopeTo).sort(), ['one@staff.example', 'two@staff.example']);
      const { subject, text, headers } = await simpleParser(sent[0]!.message);
      assert.equal(subject, 'Action on Save the <tree>');
      assert.equal(headers.has('bcc'), false);
      for (const part of ['nora@example.org', 'why: <b>Because</b>', `/rest/v1/action/${answer.json().action_id}/`])
        assert.ok(text?.includes(part), text);
      assert.equal(sent[0]!.envelopeFrom, `bounce@${api.env.MAIL_DOMAIN}`);
      for (let tries = 0; tries < 3000; tries++) {
        const { rows } = await api.pool.query(
          `select kind, status from core_transactionalmailing where kind like 'notification%' order by kind`,
        );
        if (rows.every(({ status }) => status === 'sent')) {
          assert.deepEqual(
            rows.map(({ kind }) => kind),
            ['notification-1', 'notification-3'],
          );
          return;
        }
        await later(50);
      }
      assert.fail('not recorded as sent');
    });

    it('are off unless asked for, and to addresses alone', async () => {
      await api.create('signuppage', { name: 'quiet', followup: { notifications: ['one@staff.example'] } });
      await api.call('POST', '/rest/v1/action/', { page: 'quiet', email: 'nora@example.org' });
      const { rows } = await api.pool.query(`select count(*)::int as n from core_transactionalmailing where kind like 'notification%'`);
      assert.equal(rows[0].n, 2);
      for (const notifications of [['nobody'], [5], Array.from({ length: 21 }, (_, n) => `a${n}@example.org`)]) {
        const answer = await api.call('POST', '/rest/v1/signuppage/', { name: `wrong${people++}`, followup: { notifications } });
        assert.equal(answer.statusCode, 400, answer.body);
      }
    });
  });
});
