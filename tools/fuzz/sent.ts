import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { SmtpSink } from '../../embedded/smtp-sink.ts';
import type { Send } from './send.ts';

const MAILING = {
  subjects: ['Hello'],
  html: '<p>Hello {{ user.first_name }}, <a href="https://example.org/">this</a> and <a href="https://example.org/more">that</a></p>',
  fromline: '"Ann" <ann@example.org>',
  web_viewable: true,
  includes: { lists: ['/rest/v1/list/1/'] },
};
/** A set of a few people is built by then. */
const BUILT_MS = 10_000;

/** Mails a second: with the least, a mailing is under way for some batches more. */
const RATES = [undefined, 2, 5];

/** A mailing to everybody, which is queued twice at once, and at times stopped or changed in the same moment. */
export async function mailEverybody(send: Send, random: () => number): Promise<void> {
  const rate = RATES[Math.floor(random() * RATES.length)];
  const { location } = await send('POST', '/rest/v1/mailer/', { ...MAILING, ...(rate && { mails_per_second: rate }) });
  if (!location) return;
  const [stops, changes] = [random() < 0.3, random() < 0.3];
  await send('POST', `${location}rebuild/`);
  for (const end = Date.now() + BUILT_MS; Date.now() < end; await sleep(100)) {
    const { status, body } = await send('GET', location);
    if (status !== 200 || (JSON.parse(body) as { query_status: string }).query_status === 'saved') break;
  }
  await Promise.all([
    send('POST', `${location}queue/`),
    send('POST', `${location}queue/`),
    ...(stops ? [send('POST', `${location}stop/`)] : []),
    ...(changes ? [send('PATCH', location, { subjects: ['Good news'] })] : []),
  ]);
}

const UNDER_WAY = `
  select 'mailing ' || id as what from core_mailing where status in ('queued', 'sending', 'rebuilding_at_send')
  union all select 'build ' || id from core_mailingrebuild where not finished
  union all select 'proofs ' || id from core_mailingproof where not finished
  union all select 'upload ' || id from core_upload where status in ('new', 'importing')
  union all select 'report ' || id from core_backgroundtask where status in ('pending', 'running')
  union all select 'deletion of list ' || id from core_listdeletion where status = 'pending'
  union all select 'mail ' || id from core_transactionalmailing where status in ('pending', 'sending')
  union all select 'notice ' || id from core_mailingnotice where status in ('pending', 'sending')
  union all select 'mapping ' || id || ' to the CRM: ' || last_error from core_crmmap where wanted > done
  union all select 'delivery ' || d.id from core_webhook w join core_webhookdelivery d on d.webhook_id = w.id and d.status = 'pending'
    where w.active and d.next_at < now() - interval '30 seconds' and (w.rests_until is null or w.rests_until < now() - interval '30 seconds')
  union all select 'erasure ' || id from core_erasure where status = 'pending' or to_find is not null
  union all select 'merge ' || id from core_usermerge where status = 'pending'`;

/** Waits until everything that was begun is over. @returns what is not */
export async function notOver(pool: pg.Pool, seconds: number): Promise<string[]> {
  for (const end = Date.now() + seconds * 1000; ; await sleep(500)) {
    const { rows } = await pool.query<{ what: string }>(UNDER_WAY);
    if (rows.length === 0 || Date.now() > end) return rows.map(({ what }) => what);
  }
}

/** What is wrong with what was sent: nothing was killed, so that nobody is uncertain, and the relay takes every mail. */
export async function wrongMails(pool: pg.Pool, sink: SmtpSink): Promise<string[]> {
  const twice = Object.entries(sink.counts().mailings).filter(([, { duplicated }]) => duplicated > 0);
  const { rows: sent } = await pool.query<{ mailing_id: number; accepted: number; uncertain: number; failed: number }>(
    `select mailing_id, sum(accepted)::int as accepted, sum(uncertain)::int as uncertain, sum(failed)::int as failed from send_shard group by 1`,
  );
  const rows = sent.filter(({ uncertain, failed }) => uncertain > 0 || failed > 0);
  const arrived = sink.counts().mailings;
  const untrue = sent.filter(({ mailing_id: id, accepted }) => accepted !== (arrived[id]?.received ?? 0));
  const { rows: died } = await pool.query<{ id: number }>(`select id from core_mailing where status = 'died'`);
  return [
    ...twice.map(([id, { duplicated }]) => `mailing ${id} mailed ${duplicated} people twice`),
    ...rows.map(({ mailing_id: id, uncertain, failed }) => `mailing ${id} has ${uncertain} uncertain and ${failed} failed recipients`),
    ...untrue.map(
      ({ mailing_id: id, accepted }) => `mailing ${id} says ${accepted} were mailed, and ${arrived[id]?.received ?? 0} mails arrived`,
    ),
    ...died.map(({ id }) => `mailing ${id} died`),
  ];
}
