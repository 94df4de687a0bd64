import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import type pg from 'pg';
import { SettingError } from '../../config/env.ts';
import { audienceQuery } from '../../core/sending/audience.ts';
import { DomainRates } from '../../core/sending/domain-rates.ts';
import { drawPace } from '../../core/sending/pace.ts';
import { runSlice } from '../../core/sending/slice.ts';
import { createPool } from '../../db/pool.ts';
import type { Relay } from '../../mail/contracts.ts';
import { createDatabase } from '../support/database.ts';
import { mailNumber, Opened } from '../support/relay.ts';
import { ledgerStates, plainMail, seedMailing, sliceSetup } from '../support/sending.ts';

describe('rates of recipient domains', () => {
  const opened = new Opened();
  let pool: pg.Pool;

  before(async () => {
    pool = createPool(await createDatabase(), 12);
  });
  afterEach(() => opened.end());
  after(() => pool.end());

  /** A mailing to 600 people, every third of them at slow.example, and what a sink saw of it, in milliseconds from the first mail. */
  async function mailing() {
    const id = await seedMailing(pool, 600);
    await pool.query(`update core_user set email = 'person' || id || '@slow.example' where id % 3 = 0`);
    await pool.query('delete from send_pace');
    return id;
  }

  async function watched() {
    const seen: { to: string; at: number }[] = [];
    const sink = await opened.sink({ onMail: ({ to }) => seen.push({ to: to[0] as string, at: performance.now() }) });
    return { sink, seen };
  }

  /** One worker: slice after slice until nobody is left or the time is up. Each has rates of its own, over the one database. */
  async function work(mailingId: number, relay: Relay, rates: string, seconds: number, rate: number | null = null) {
    const mail = {
      ...plainMail,
      render: (row: { email: string; position: number }) => mailNumber(row.position, { envelopeTo: row.email }),
    };
    const domains = new DomainRates(rates, (...rule) => drawPace(pool, ...rule));
    const end = performance.now() + seconds * 1000;
    for (;;) {
      const audience = audienceQuery(mail, false);
      const { next } = await runSlice(sliceSetup(pool, mailingId, relay, { mail, domains, rate, audience, seconds: 1 }));
      if (next === 'finished' || performance.now() > end) return next;
      if (next === 'wait') await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  it('hold over all workers, and do not keep the others waiting', async () => {
    const id = await mailing();
    const { sink, seen } = await watched();
    const workers = [opened.relay(sink.url), opened.relay(sink.url)];
    const began = performance.now();
    deepEqual(await Promise.all(workers.map((relay) => work(id, relay, 'slow.example=25', 300))), ['finished', 'finished']);
    const seconds = (performance.now() - began) / 1000;
    deepEqual(await ledgerStates(pool, id), { accepted: 600 });
    deepEqual([sink.counts().received, sink.counts().duplicated], [600, 0]);
    const slow = seen.filter(({ to }) => to.endsWith('@slow.example')).map(({ at }) => at);
    const others = seen.filter(({ to }) => !to.endsWith('@slow.example')).map(({ at }) => at);
    // In their order the last of them would come behind the 199th of the slow ones.
    ok(Math.max(...others) < slow[190]!, `the others waited ${Math.max(...others) - began} ms`);
    // 200 at 25 a second, with half a second's worth at the beginning.
    ok(seconds > 6.4, `${seconds} s`);
    // None of them comes before it was allowed, however late others are.
    for (const [n, at] of slow.entries()) ok(n <= (25 * (at - began)) / 1000 + 13, `${n} mails after ${at - began} ms`);
  });

  it('count all domains below a name together', async () => {
    const id = await mailing();
    await pool.query(
      `update core_user set email = 'person' || id || case when id % 2 = 0 then '@a.slow.example' else '@b.slow.example' end where id % 3 = 0`,
    );
    const { sink, seen } = await watched();
    const began = performance.now();
    const slowOnes = () => seen.filter(({ to }) => to.endsWith('.slow.example')).length;
    do await work(id, opened.relay(sink.url), '*.slow.example=20', 2);
    while (seen.length - slowOnes() < 400);
    const seconds = (performance.now() - began) / 1000;
    const slow = slowOnes();
    ok(slow >= 20 && slow <= 20 * seconds + 15, `${slow} in ${seconds} seconds at 20 a second`);
    equal(seen.length - slow, 400);
  });

  it('go with the rate of the mailing', async () => {
    const id = await mailing();
    await pool.query('update send_run set rate = 60 where mailing_id = $1', [id]);
    const { sink, seen } = await watched();
    const began = performance.now();
    do await work(id, opened.relay(sink.url), 'slow.example=10', 3, 60);
    while (seen.length < 100);
    const seconds = (performance.now() - began) / 1000;
    const slow = seen.filter(({ to }) => to.endsWith('@slow.example')).length;
    ok(seen.length >= 100 && seen.length <= 60 * seconds + 40, `${seen.length} in ${seconds} seconds at 60 a second`);
    ok(slow >= 15 && slow <= 10 * seconds + 10, `${slow} of them at 10 a second`);
  });

  it('let nobody be tried less often for waiting: a shard goes on to its next pass when everybody had a turn', async () => {
    const id = await mailing();
    const { sink } = await watched();
    // Everybody at slow.example is put off once, however soon a shard is read again.
    const { rows: slow } = await pool.query(`select email from core_user where email like '%@slow.example'`);
    sink.setRules(slow.map(({ email }) => ({ at: 'rcpt', match: `<${email}>`, reply: '450 later', times: 1 })));
    equal(await work(id, opened.relay(sink.url), 'slow.example=150', 300), 'finished');
    deepEqual(await ledgerStates(pool, id), { accepted: 600 });
    const { rows } = await pool.query('select max(pass) as pass from send_shard where mailing_id = $1', [id]);
    ok(rows[0].pass <= 3, `pass ${rows[0].pass}`);
  });

  it('are read from names and numbers, the most particular rule first', () => {
    const draw = async () => ({ granted: 0, waitMs: 0 });
    const rates = new DomainRates(' gmail.com = 50, *.example=5,*.mail.example=2.5,xn--bcher-kva.org=1, *.xn--bcher-kva.net=1 ', draw);
    const rule = (email: string) => rates.ruleFor(email)?.name;
    deepEqual(
      ['a@gmail.com', 'A@GMAIL.COM', 'a@x.example', 'a@y.mail.example', 'a@mail.example', 'a@example', 'a@notgmail.com'].map(rule),
      ['gmail.com', 'gmail.com', '*.example', '*.mail.example', '*.example', undefined, undefined],
    );
    // As they are kept of people.
    deepEqual(['a@bücher.org', 'a@news.bücher.net'].map(rule), ['bücher.org', '*.bücher.net']);
    for (const wrong of ['gmail.com', 'gmail.com=fast', 'gmail.com=0', '*=5', 'a b=5', 'a=1=2', 'a=1 b=2', 'a=0x10', 'a=', '*.a=1,*.A=2'])
      throws(
        () => new DomainRates(wrong, draw),
        (error: Error) => error instanceof SettingError && error.message.startsWith('DOMAIN_RATES: '),
        wrong,
      );
  });
});
