import type pg from 'pg';
import { LEDGER_STATE, type LedgerStateName } from '../../domain/words.ts';
import type { ChaosApi } from './api.ts';
import { checkMail, type Place } from './check-mail.ts';
import { type Expected, petitionOf, SUBJECTS } from './expected.ts';
import type { Person } from './people.ts';
import type { MailingRecord } from './relay-record.ts';

export interface Verdict {
  /** Who had to get it, or might before they left: by the checker's own list. */
  targeted: number;
  /** Of the ledger. */
  accepted: number;
  failed: number;
  skipped: number;
  uncertain: number;
  /** Broken promises; all empty when the round was good. */
  wrongs: string[];
}

/** What one mailing is judged by. */
export interface Evidence {
  pool: pg.Pool;
  api: ChaosApi;
  place: Place;
  expected: Expected;
  /** Mails by address. */
  record: MailingRecord;
  refused: ReadonlySet<string>;
  /** Uncertain recipients there may be. */
  most: number;
  /** Mails there may be on all wires at a time. */
  onTheWires: number;
  /** How often the clock that rates go by was turned forward. */
  forwardTurns: number;
  /** Everybody was in the set from the beginning, in the order of their ids. */
  inOrder: boolean;
}

/** Those that a progress document counts, by the ledger's names. */
const COUNTED = { accepted: 'progress', failed: 'failed', skipped: 'skipped', uncertain: 'uncertain' } as const;
/** A page of recipients lives for two seconds; what was begun then may take its time on the wire. */
const LEFT_MS = 3_000;
/** After a merge only what was on the wire already arrives. */
const MERGED_MS = 700;
/** What is caught up after a pause; to a rate, its clock turned forward is one. */
const CAUGHT_UP_SECONDS = 0.5;
/** As much again for what a busy machine does to times. */
const BURST_SECONDS = 2 * CAUGHT_UP_SECONDS;
const RATE_SECONDS = 3;

/**
 * Holds three things against each other: what was ordered (a list made before the send, of people the checker signed up itself), what the relay took, mail by
 * mail, and what the platform says of it in ledger and API. It shares nothing with the code that sends.
 */
export async function checkMailing(evidence: Evidence): Promise<Verdict> {
  const { pool, api, place, expected, record, refused, most } = evidence;
  const { must, left, mailingId } = expected;
  const { rows } = await pool.query<{ user_id: number; state: number; detail: string }>(
    'select user_id, state, detail from send_record where mailing_id = $1',
    [mailingId],
  );
  const wrongs: string[] = [];
  const wrong = (what: string, whom: (number | string)[]) => {
    if (whom.length) wrongs.push(`${what}: ${whom.length} (${whom[0]} …)`);
  };
  const those = (...names: LedgerStateName[]) =>
    rows.filter(({ state }) => names.some((name) => LEDGER_STATE[name] === state)).map((row) => row.user_id);
  const everybody = [...must.values(), ...[...left.values()].map(({ person }) => person)];
  const byId = new Map(everybody.map((person) => [person.id, person]));
  const stay = new Set([...must.values()].map(({ id }) => id));
  const inLedger = new Set(rows.map((row) => row.user_id));
  // Rows of people who are gone stay, and name nobody.
  const nobody = [...inLedger].filter((id) => id < 0);
  const had = ({ email, merged }: Person) => record.has(email) || (merged !== undefined && record.has(merged));
  const of = (ids: number[]) => ids.flatMap((id) => byId.get(id) ?? []);
  const emails = (people: Person[]) => people.map(({ email }) => email);

  // Whom the relay knows of, by the address of the envelope.
  wrong(
    'mailed twice',
    [...record].filter(([, mails]) => mails.length > 1).map(([address]) => address),
  );
  wrong(
    'mailed, though they must not be',
    [...record.keys()].filter((address) => !must.has(address) && !left.has(address)),
  );
  wrong(
    'mailed long after they left',
    [...left].filter(([address, { at }]) => record.get(address)?.some((mail) => mail.at > at + LEFT_MS)).map(([address]) => address),
  );
  wrong(
    'mailed again after they were merged',
    emails(
      [...must.values()].filter(({ email, merged = '' }) => {
        const at = left.get(merged)?.at ?? Number.POSITIVE_INFINITY;
        return record.get(merged)?.some((mail) => mail.at < at) && record.get(email)?.some((mail) => mail.at > at + MERGED_MS);
      }),
    ),
  );
  // Whom the ledger knows of.
  wrong('not in the ledger', emails([...must.values()].filter(({ id }) => !inLedger.has(id))));
  wrong(
    'in the ledger, though they must not be',
    [...inLedger].filter((id) => id > 0 && !byId.has(id)),
  );
  if (nobody.length > left.size) wrongs.push(`${nobody.length} rows of the ledger name nobody, and ${left.size} are gone`);
  wrong('forgotten', those('pending', 'sending'));
  wrong('accepted, but the relay does not have it', emails(of(those('accepted')).filter((person) => !had(person))));
  wrong('failed or skipped, but the relay has it', emails(of(those('failed', 'skipped')).filter(({ email }) => record.has(email))));
  wrong('failed, but the relay never refused it', emails(of(those('failed')).filter(({ email }) => !refused.has(email))));
  wrong(
    'skipped, though they never left',
    those('skipped').filter((id) => stay.has(id)),
  );
  const uncertain = those('uncertain');
  if (uncertain.length > most) {
    const why = new Set(rows.filter(({ state }) => state === LEDGER_STATE.uncertain).map(({ detail }) => detail));
    wrongs.push(`uncertain: ${uncertain.length}, at most ${most} may be (${[...why].join('; ')})`);
  }
  // What the API says.
  const listed = new Set(await api.uncertain(mailingId));
  wrong(
    'uncertain, but not listed',
    uncertain.filter((user) => !listed.has(user)),
  );
  if (listed.size > uncertain.length) wrongs.push(`listed as uncertain: ${listed.size}, of whom ${uncertain.length} are`);
  const progress = await api.progress(mailingId);
  const verdict = { targeted: must.size + left.size, accepted: 0, failed: 0, skipped: 0, uncertain: 0 };
  for (const [state, name] of Object.entries(COUNTED) as [keyof typeof COUNTED, string][]) {
    verdict[state] = those(state).length;
    if (progress[name] !== verdict[state]) wrongs.push(`progress says ${progress[name]} ${state}, the ledger ${verdict[state]}`);
  }
  const { expected_send_count: told } = progress as { expected_send_count: number };
  if (told < must.size || told > must.size + left.size) wrongs.push(`it was to go to ${must.size}, and the API says ${told}`);

  wrongs.push(...(await checkMails(place, expected, record, evidence.inOrder)), ...checkRate(expected, record, evidence));
  return { ...verdict, wrongs };
}

/** What the mails say; and one of their links is followed. */
async function checkMails(place: Place, expected: Expected, record: MailingRecord, inOrder: boolean): Promise<string[]> {
  const wrongs: string[] = [];
  const messageIds = new Set<string>();
  const variants = new Map<Person, number>();
  let akid = '';
  for (const [address, mails] of record) {
    const person = expected.must.get(address) ?? expected.left.get(address)?.person;
    if (!person) continue;
    for (const mail of mails) {
      const read = checkMail(place, expected, person, mail);
      wrongs.push(...read.wrongs.map((each) => `the mail for ${address}: ${each}`));
      variants.set(person, read.variant);
      messageIds.add(read.messageId);
      akid = read.akid;
    }
  }
  if (wrongs.length > 3) wrongs.splice(3, Number.POSITIVE_INFINITY, `and ${wrongs.length - 3} more are wrong in mails`);
  if (messageIds.size < record.size) wrongs.push(`${record.size} mails have ${messageIds.size} message ids`);
  wrongs.push(...checkSubjects(expected, variants, inOrder));
  if (akid) {
    const { headers } = await fetch(`${place.baseUrl}/click/${akid}/0`, { redirect: 'manual' });
    const wanted = petitionOf(expected.token, akid);
    if (headers.get('location') !== wanted) wrongs.push(`a click leads to ${headers.get('location')}, not to ${wanted}`);
  }
  return wrongs;
}

/** Subjects take turns: in the order of the set where it is known, and in equal parts anyhow. */
function checkSubjects({ must, left }: Expected, variants: ReadonlyMap<Person, number>, inOrder: boolean): string[] {
  if (inOrder) {
    const line = [...must.values()].sort((a, b) => a.id - b.id);
    const first = line.findIndex((person) => variants.has(person));
    const turn = (n: number) => (variants.get(line[first]!)! + n - first) % SUBJECTS.length;
    const out = line.findIndex((person, n) => variants.has(person) && variants.get(person) !== turn(n));
    return out < 0 || first < 0 ? [] : [`subjects do not take turns: ${line[out]!.email} has number ${variants.get(line[out]!)}`];
  }
  const counts = SUBJECTS.map((_, n) => [...variants.values()].filter((variant) => variant === n).length);
  const missing = must.size + left.size - variants.size;
  return Math.max(...counts) - Math.min(...counts) > 1 + missing ? [`subjects went to ${counts.join(', ')}`] : [];
}

/** Nothing makes a mailing faster than its rate: neither all of it, nor any three seconds, in which what waited on the wires may come besides. */
function checkRate({ rate }: Expected, record: MailingRecord, { onTheWires, forwardTurns }: Evidence): string[] {
  const burst = BURST_SECONDS + forwardTurns * CAUGHT_UP_SECONDS;
  const times = [...record.values()]
    .flat()
    .map(({ at }) => at)
    .sort((a, b) => a - b);
  const seconds = times.length ? (times.at(-1)! - times[0]!) / 1000 : 0;
  const least = (times.length / rate - burst) * 0.9;
  const wrongs = seconds < least ? [`${times.length} mails took ${seconds.toFixed(1)} s at ${rate} a second`] : [];
  const most = Math.ceil(rate * (RATE_SECONDS + burst) + onTheWires);
  const first = times.findIndex((at, n) => n + most < times.length && times[n + most]! - at < RATE_SECONDS * 1000);
  if (first >= 0) wrongs.push(`more than ${most} mails in ${RATE_SECONDS} s at ${rate} a second`);
  return wrongs;
}
