import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type pg from 'pg';
import { readProgress } from '../../../api/mailer/progress.ts';
import { acceptedOverTime } from '../../../core/mailings/events-over-time.ts';
import { readResults } from '../../../core/mailings/results.ts';
import { eraseUser } from '../../../core/people/erase.ts';
import { mergeUsers } from '../../../core/people/merge.ts';
import { writeRun } from '../../../core/sending/freeze.ts';
import { readRecipients } from '../../../core/sending/recipients-by-state.ts';
import { runSlice } from '../../../core/sending/slice.ts';
import { DatabaseProbe } from '../../../db/probe.ts';
import { sqlOn } from '../../../db/sql.ts';
import { inOneTransaction } from '../../../db/transaction.ts';
import { LEDGER_STATE } from '../../../domain/words.ts';
import { ADMIN, startApi, type TestApi } from '../../support/api.ts';
import { ConsoleVisitor } from '../../support/console-visitor.ts';
import { buildSet } from '../../support/mailings.ts';
import { become, ledgerStates, queueMailing, ScriptedRelay, sliceSetup } from '../../support/sending.ts';

const LEAVE = ['merge', 'delete', 'erase'] as const;
type Leave = (typeof LEAVE)[number];
const STATES = Object.entries(LEDGER_STATE) as [keyof typeof LEDGER_STATE, number][];

describe('people who are merged, deleted or erased while a mailing is sent to them', () => {
  let api: TestApi;
  let pool: pg.Pool;

  before(async () => {
    api = await startApi();
    pool = api.pool;
  });
  after(() => api.close());
  beforeEach(empty);

  async function empty(): Promise<void> {
    await pool.query(
      'truncate core_user, core_mailing, send_set, send_log, send_accepted, send_exception, send_shard, send_tally, send_timeline, core_usermerge, core_erasure restart identity cascade',
    );
  }

  /** A mailing that has begun, users 1 to n at positions 1 to n. */
  async function begun(people: number, rate: number | null = null): Promise<number> {
    const id = await queueMailing(pool, people, { rate });
    await pool.query(`insert into core_mailingsubject (mailing_id, position, text) values ($1, 1, 'Or this')`, [id]);
    await pool.query(`update core_mailing set status = 'sending', started_at = now(), saved_count = $2 where id = $1`, [id, people]);
    await begin(id, rate);
    return id;
  }

  const begin = (mailing: number, rate: number | null = null) =>
    inOneTransaction(pool, async (sql) => {
      // As beginSending does.
      await sql('select from core_mailing where id = $1 for update', [mailing]);
      const db = { query: async (text: string, values: unknown[]) => ({ rows: await sql(text, values) }) } as unknown as pg.PoolClient;
      return writeRun(db, mailing, { content: {}, lists: null } as never, rate, 7);
    });

  const job = async (text: string, values: unknown[]): Promise<number> => (await pool.query(text, values)).rows[0].id;

  async function leave(how: Leave, user: number, other: number): Promise<void> {
    if (how === 'delete') {
      const answer = await api.call('DELETE', `/rest/v1/user/${user}/`);
      ok([204, 404].includes(answer.statusCode), answer.body);
    } else if (how === 'merge') {
      const id = await job(
        'insert into core_usermerge (primary_user, users, address_user, source_user) values ($1, $2, $1, $1) returning id',
        [other, JSON.stringify([user])],
      );
      await again(() => inOneTransaction(pool, (sql) => mergeUsers(sql, id)));
    } else {
      const id = await job('insert into core_erasure (user_id) values ($1) returning id', [user]);
      await again(() => inOneTransaction(pool, (sql) => eraseUser(sql, id, 'secret')));
    }
  }

  /** As the workflow does; somebody who is gone already, or about to be erased, is no defect here. */
  async function again(work: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await work();
        return;
      } catch (error) {
        if ((error as { code?: string }).code !== '40P01') {
          if (/no user|was erased|is to be erased/.test((error as Error).message)) return;
          throw error;
        }
      }
    }
  }

  /** Everything that is counted, of one moment; fails where two sums differ. */
  async function sums(mailing: number, people: number) {
    const client = await pool.connect();
    try {
      await client.query('begin isolation level repeatable read');
      const context = { workflows: api.workflows, pool: client, database: new DatabaseProbe(pool) } as never;
      const progress = await readProgress(context, mailing);
      const { totals, subjects } = await readResults(client as never, mailing);
      const states: Record<string, number> = Object.fromEntries(STATES.map(([name]) => [name, 0]));
      Object.assign(states, await ledgerStates(client as never, mailing));
      const uncertain = await readRecipients(client as never, mailing, LEDGER_STATE.uncertain, { limit: 1000, offset: 0 });
      const bySecond = `select extract(epoch from date_trunc('second', changed_at))::int as at, count(*)::int as accepted
        from send_record where mailing_id = $1 and state = ${LEDGER_STATE.accepted} group by 1 order by 1`;
      const { rows: anew } = await client.query(bySecond, [mailing]);
      const charted = await acceptedOverTime(sqlOn(client), mailing, 1);
      await client.query('commit');
      deepEqual(
        charted.toSorted((a, b) => a.at - b.at),
        anew,
      );
      const { accepted, failed, skipped } = states;
      const pending = states.pending! + states.sending!;
      const said = JSON.stringify({ progress, totals, states });
      deepEqual(
        [progress.progress, progress.failed, progress.skipped, progress.uncertain],
        [accepted, failed, skipped, states.uncertain],
        said,
      );
      equal(progress.expected_send_count, people, said);
      deepEqual(
        [totals.targeted, totals.pending, totals.recipients, totals.failed, totals.skipped, totals.uncertain],
        [people, pending, accepted, failed, skipped, states.uncertain],
        said,
      );
      deepEqual(
        subjects.map(({ targeted }) => targeted),
        [Math.floor(people / 2), Math.ceil(people / 2)],
        said,
      );
      deepEqual([uncertain.total, uncertain.rows.length], [states.uncertain, states.uncertain]);
      return { ...states, pending } as Record<string, number>;
    } finally {
      client.release();
    }
  }

  const happening = fc.record({ how: fc.constantFrom(...LEAVE), atMs: fc.nat(500), user: fc.nat(1000), other: fc.nat(1000) });
  const story = fc.record({
    people: fc.integer({ min: 12, max: 40 }),
    rate: fc.constantFrom(null, 60, 120),
    happenings: fc.array(happening, { minLength: 3, maxLength: 14 }),
    outcomes: fc.array(fc.constantFrom('accepted', 'accepted', 'accepted', 'failed', 'deferred', 'uncertain', 'unsent'), {
      minLength: 5,
      maxLength: 9,
    }),
    slowMs: fc.nat(30),
    stopAtMs: fc.option(fc.nat(400)),
  });

  it('keep all sums adding up, whenever it happens and whatever became of their mail', async () => {
    await fc.assert(
      fc.asyncProperty(story, async ({ people, rate, happenings, outcomes, slowMs, stopAtMs }) => {
        await empty();
        const mailing = await begun(people, rate);
        const relay = new ScriptedRelay(3);
        relay.answer = async ({ envelopeTo }, nth) => {
          await sleep(slowMs);
          const kind = outcomes[nth % outcomes.length]!;
          const reply = `${kind} <${envelopeTo}>`;
          return kind === 'unsent' ? { kind, reply, relay: 'busy' } : ({ kind, reply } as never);
        };
        const stop = new AbortController();
        let over = false;
        const send = async (signal: AbortSignal) => {
          for (let result = ''; result !== 'finished' && !signal.aborted; ) {
            const setup = { rate, seconds: 0.4, stop: signal, run: null };
            result = (await runSlice(sliceSetup(pool, mailing, relay, setup))).next;
          }
        };
        const watch = async () => {
          while (!over) {
            await sums(mailing, people);
            await sleep(20);
          }
        };
        const told = happenings.map(async ({ how, atMs, user, other }) => {
          await sleep(atMs);
          const [a, b] = [(user % people) + 1, (other % people) + 1];
          if (how !== 'merge' || a !== b) await leave(how, a, b);
        });
        const watching = watch();
        const stopped = stopAtMs === null ? null : sleep(stopAtMs).then(() => stop.abort());
        try {
          await send(stop.signal);
          await stopped;
          if (stop.signal.aborted) {
            // Stopped, and somebody goes meanwhile.
            await pool.query(`update core_mailing set status = 'stopped' where id = $1`, [mailing]);
            await Promise.all(told);
            await sums(mailing, people);
            await pool.query(`update core_mailing set status = 'sending' where id = $1`, [mailing]);
            await begin(mailing, rate);
            await send(new AbortController().signal);
          }
          await Promise.all(told);
          // Somebody put off while a shard was finished without them does not exist; whoever waits now is left by nobody.
          await send(new AbortController().signal);
        } finally {
          over = true;
        }
        await watching;
        const states = await sums(mailing, people);
        equal(states.pending, 0);
        const gone = await pool.query(
          `select detail from send_record l where mailing_id = $1 and detail like '%<%'
             and not exists (select from core_user u where u.id = l.user_id and u.email like 'person%')`,
          [mailing],
        );
        deepEqual(gone.rows, []);
        // After the end, too.
        const [last] = (await pool.query(`select id from core_user where email like 'person%' limit 1`)).rows;
        if (last) await leave('delete', last.id, 0);
        await sums(mailing, people);
      }),
      // Each story takes seconds: a smaller one that fails, too, would come when time is over.
      { numRuns: 10, endOnFailure: true },
    );
  });

  /** Two people for each pair of states, the first of them user 1. */
  async function pairs(): Promise<number> {
    const mailing = await begun(2 * STATES.length ** 2);
    for (const [i, [, one]] of STATES.entries())
      for (const [j, [, two]] of STATES.entries()) {
        const first = 2 * (STATES.length * i + j) + 1;
        await become(pool, mailing, [
          { position: first, state: one, detail: one > 2 ? `<person${first}@` : null },
          { position: first + 1, state: two },
        ]);
      }
    await pool.query(
      `update send_shard s set held_until = now() + interval '1 hour', (accepted, failed, skipped, uncertain) = (
         select count(*) filter (where state = 2), count(*) filter (where state = 3), count(*) filter (where state = 4), count(*) filter (where state = 5)
         from send_record l where l.mailing_id = s.mailing_id and l.position between s.from_position and s.to_position) where mailing_id = $1`,
      [mailing],
    );
    return mailing;
  }
  const rowsOf = async (mailing: number, first: number) =>
    (
      await pool.query(
        'select user_id, state, detail from send_record where mailing_id = $1 and position in ($2, $2 + 1) order by position',
        [mailing, first],
      )
    ).rows;

  it('of a merged pair the row that says most becomes the primary’s; the other is counted, names nobody, and is skipped if it waited', async () => {
    const mailing = await pairs();
    const says = ['pending', 'skipped', 'failed', 'sending', 'uncertain', 'accepted'];
    for (const [i, [one, oneState]] of STATES.entries())
      for (const [j, [two, twoState]] of STATES.entries()) {
        const first = 2 * (STATES.length * i + j) + 1;
        await leave('merge', first, first + 1);
        const firstWins = says.indexOf(one) > says.indexOf(two);
        const after = (state: number, wins: boolean) => (wins || state !== LEDGER_STATE.pending ? state : LEDGER_STATE.skipped);
        const rows = await rowsOf(mailing, first);
        deepEqual(
          rows.map(({ user_id, state }) => [user_id, state]),
          [
            [firstWins ? first + 1 : -first, after(oneState, firstWins)],
            [firstWins ? -first - 1 : first + 1, after(twoState, !firstWins)],
          ],
          `${one} ${two}`,
        );
        ok(firstWins || !/</.test(rows[0].detail ?? ''), `${one} ${two}: ${rows[0].detail}`);
      }
    await sums(mailing, 2 * STATES.length ** 2);
    const list = await api.read(`/rest/v1/mailer/${mailing}/skipped/`);
    ok(list.objects.some(({ user, detail }: { user: null; detail: string }) => user === null && /merged/.test(detail)));
  });

  for (const how of ['delete', 'erase'] as const) {
    it(`${how}: a row of any state is counted as before; one that waited is skipped, and nothing is left that a relay said`, async () => {
      const mailing = await pairs();
      for (const [i, [name, state]] of STATES.entries()) {
        const first = 2 * STATES.length * i + 1;
        await leave(how, first, 0);
        const [row] = await rowsOf(mailing, first);
        deepEqual([row.user_id, row.state], [how === 'delete' ? -first : first, state === 0 ? LEDGER_STATE.skipped : state], name);
        ok(!/</.test(row.detail ?? ''), name);
      }
      await sums(mailing, 2 * STATES.length ** 2);
    });
  }

  for (const how of LEAVE) {
    it(`${how}: nothing is left of what a relay said when it put them off, whatever has become of them since`, async () => {
      const mailing = await begun(7);
      await become(
        pool,
        mailing,
        [1, 2, 3, 4].map((position) => ({ position, state: LEDGER_STATE.pending, detail: `450 <person${position}@ is away` })),
      );
      await become(
        pool,
        mailing,
        [2, 3].map((position) => ({ position, state: LEDGER_STATE.sending })),
      );
      await pool.query('update send_shard set seq = seq + 1, claimed_to = 4, accepted = 1, deferred = 2 where mailing_id = $1', [mailing]);
      await pool.query('insert into send_log (mailing_id, shard, seq, accepted) select $1, shard, seq, array[3] from send_shard', [
        mailing,
      ]);
      for (const user of [1, 2, 3]) await leave(how, user, 5);
      const { rows } = await pool.query('select details from send_log where mailing_id = $1', [mailing]);
      deepEqual(
        rows.flatMap(({ details }) => details ?? []).filter((detail) => /</.test(detail)),
        // The mail of a merged user who has it is the primary's from then on.
        (how === 'merge' ? [3, 4] : [4]).map((person) => `450 <person${person}@ is away`),
      );
      await sums(mailing, 7);
    });
  }

  it('leave a set that has not been begun, and its size with it', async () => {
    const mailing = await queueMailing(pool, 6);
    await pool.query(`update core_mailing set saved_count = 6, status = 'scheduled' where id = $1`, [mailing]);
    await leave('delete', 1, 0);
    await leave('merge', 2, 3);
    const left = async () =>
      (
        await pool.query(
          'select saved_count, (select count(*)::int from send_record where mailing_id = id) as rows from core_mailing where id = $1',
          [mailing],
        )
      ).rows;
    deepEqual(await left(), [{ saved_count: 4, rows: 4 }]);
    const triple = await job(
      'insert into core_usermerge (primary_user, users, address_user, source_user) values (4, $1, 4, 4) returning id',
      ['[5, 6]'],
    );
    await inOneTransaction(pool, (sql) => mergeUsers(sql, triple));
    deepEqual(await left(), [{ saved_count: 2, rows: 2 }]);
  });

  it('leave what a mailing expects that was stopped, and built anew', async () => {
    const mailing = await begun(10);
    await become(
      pool,
      mailing,
      [1, 2, 3, 4, 5].map((position) => ({ position, state: LEDGER_STATE.accepted })),
    );
    await pool.query('update send_shard set accepted = 5 where mailing_id = $1 and shard = 0', [mailing]);
    await pool.query(`update core_mailing set status = 'stopped', expected_send_count = 10 where id = $1`, [mailing]);
    const at = `/rest/v1/mailer/${mailing}/`;
    equal(await buildSet(api, at), 5);
    await leave('delete', 6, 0);
    await leave('merge', 7, 8);
    await leave('merge', 9, 8);
    // Somebody who has the mail: nobody is left of one who waits.
    await leave('merge', 10, 1);
    // Those who have it are counted on.
    await leave('delete', 2, 0);
    const { progress, expected_send_count: expected } = await api.read(`${at}progress/`);
    const { totals } = await api.read(`${at}results/`);
    deepEqual([progress, expected, totals.targeted, totals.pending], [5, 6, 6, 1]);
    const visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
    match((await visitor.get(`/console/mailings/${mailing}/confirm/queue`)).body, /Send to the 1 person left/);
    deepEqual(await begin(mailing), { pending: 1, accepted: 5, targeted: 6 });
    // Whoever waits in a set that is being sent is skipped, and expected as before.
    await leave('delete', 8, 0);
    const { skipped, expected_send_count: since } = await api.read(`${at}progress/`);
    deepEqual([skipped, since], [1, 6]);
  });

  for (const how of LEAVE) {
    it(`${how} while the mail is on the wire: a late answer is counted, and its words are not kept`, async () => {
      const mailing = await begun(3);
      // The second one has been sent to: their row says more.
      await become(pool, mailing, [{ position: 2, state: 2 }]);
      await pool.query('update send_shard set accepted = 1 where mailing_id = $1', [mailing]);
      const relay = new ScriptedRelay(1);
      let answer = () => {};
      const asked = new Promise<void>((begins) => {
        relay.answer = ({ envelopeTo }) => {
          if (envelopeTo !== 'person1@example.org') return { kind: 'accepted', reply: '250' };
          begins();
          return new Promise((resolve) => {
            answer = () => resolve({ kind: 'failed', reply: `550 <${envelopeTo}> is not here` });
          });
        };
      });
      const slice = runSlice(sliceSetup(pool, mailing, relay));
      await asked;
      await leave(how, 1, 2);
      answer();
      await slice;
      const { rows } = await pool.query('select state, detail from send_record where mailing_id = $1 order by position', [mailing]);
      deepEqual(rows, [
        { state: 3, detail: '' },
        { state: 2, detail: null },
        { state: 2, detail: null },
      ]);
      await sums(mailing, 3);
    });
  }

  it('addresses the relay cannot be asked about do not count as refusals in a row', async () => {
    const mailing = await begun(100);
    const relay = new ScriptedRelay();
    relay.answer = () => ({ kind: 'failed', reply: '501 the address cannot be used in SMTP', unasked: true });
    const result = await runSlice(sliceSetup(pool, mailing, relay));
    deepEqual([result.next, result.failed], ['finished', 100]);
  });
});
