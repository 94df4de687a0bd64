import type { Env } from '../../config/env.ts';
import type { Client } from '../../db/driver.ts';
import { timestampSql } from '../../db/timestamp-sql.ts';
import { counted } from '../../domain/counted.ts';
import { type Finding, look } from '../../domain/finding.ts';
import { NOT_KEPT } from '../people/free-texts.ts';

/** A pause that is over sooner is none to tell of. */
const LONG = '2 minutes';

/** CRM and partner system, by what is written of them: nobody is asked. Nothing where they are switched off, or all is well. */
export async function lookAtSystems(client: Client, env: Pick<Env, 'CRM_KIND' | 'PARTNER_KIND'>): Promise<Finding[]> {
  const made = await client.query(`select from pg_class where oid = any(array[to_regclass('core_crmmap'), to_regclass('send_pace')])`);
  if (made.rowCount !== 2) return [];
  return [
    ...(env.CRM_KIND === 'none' ? [] : [...(await unsent(client)), ...(await held(client, 'crm'))]),
    ...(env.PARTNER_KIND === 'none' ? [] : [...(await unmade(client)), ...(await held(client, 'partner'))]),
  ];
}

/** Syncs that were tried, and wait, by the index of those that have an error (millions may wait that nobody has tried): what they say of it names nobody, unlike what one says that was refused. */
async function unsent(client: Client): Promise<Finding[]> {
  const { rows } = await client.query<{ waiting: number; since: string; said: string }>(
    `select count(*)::int as waiting, ${timestampSql('min(requested_at)')} as since, (array_agg(last_error order by tried_at desc nulls last))[1] as said
     from core_crmmap where last_error <> '' and wanted > done and status = 'pending' and last_error like 'Not sent yet: %' and requested_at < now() - interval '${LONG}'`,
  );
  const { waiting, since, said } = rows[0]!;
  if (!waiting) return [];
  const says = `${counted(waiting, 'sync waits', 'syncs wait')}, the oldest since ${since} UTC: ${said.replace('Not sent yet: ', '')}`;
  return [look('crm', says, 'look at the CRM, CRM_URL and CRM_TOKEN; they go on by themselves; sooner: docs/crm.md')];
}

/** Records the partner system was asked for and does not have. What it says of one may name somebody: it stays where it is. Intents of people who were erased are dropped by the next run. */
async function unmade(client: Client): Promise<Finding[]> {
  const { rows } = await client.query<{ kind: string; unmade: number; since: string }>(
    `select kind, count(*)::int as unmade, ${timestampSql('min(created_at)')} as since from partner_intent
     where error <> '' and (kind <> 'user' or error <> '${NOT_KEPT}') and created_at < now() - interval '${LONG}' group by kind order by kind`,
  );
  const todo = 'partner_intent.error says why of each; every run tries them again: docs/crm.md';
  return rows.map(({ kind, unmade, since }) =>
    look('partner', `${counted(unmade, kind, `${kind}s`)} could not be made there, the first tried at ${since} UTC`, todo),
  );
}

/** Whether it has asked for a pause, by 429. */
async function held(client: Client, system: 'crm' | 'partner'): Promise<Finding[]> {
  const { rows } = await client.query<{ until: string }>(
    `select ${timestampSql('to_timestamp(max(paid_until))')} as until from send_pace where key = $1
     having max(paid_until) > extract(epoch from now() + interval '${LONG}')`,
    [system],
  );
  const todo = 'nothing is asked of it before that; to end the pause: docs/crm.md';
  return rows.map(({ until }) => look(system, `it asked for a pause (429) until ${until} UTC`, todo));
}
