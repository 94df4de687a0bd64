import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A change that spoils a program: a text of one of its files, and what stands there instead. */
export interface Change {
  file: string;
  from: string;
  to: string;
}

/** An engine broken on purpose, and the kinds of trouble under which it has to be found out. */
export interface Mutant {
  /** What it does wrong. */
  about: string;
  changes: readonly Change[];
  kinds: readonly string[];
}

const SHARDS = 'core/sending/shards.ts';
const SLICE = 'core/sending/slice.ts';
const PACE = 'core/sending/pace.ts';
const FREEZE = 'core/sending/freeze.ts';
const AUDIENCE = 'core/sending/audience.ts';
const DELIVERY = 'mail/smtp/delivery.ts';

const change = (file: string, from: string, to: string): Change => ({ file, from, to });

/** Bounds of a worker's clock, as turned-clock.ts turns it: seconds by which it is wrong. */
const WORKER_IS_WRONG_BY = '(Date.now() - performance.timeOrigin - performance.now()) / 1000';

export const MUTANTS: Readonly<Record<string, Mutant>> = {
  'dead-are-sent-again': {
    about: 'who was on the wire when a worker died is pending again',
    changes: [
      change(
        SHARDS,
        "update send_ledger l set state = ${LEDGER_STATE.uncertain}, changed_at = now(),\n          detail = 'the worker ended while this mail was on its way to the relay'\n        from free f",
        'update send_ledger l set state = ${LEDGER_STATE.pending} from free f',
      ),
      change(
        SHARDS,
        "update send_ledger l set state = ${LEDGER_STATE.uncertain}, changed_at = now(),\n          detail = 'the worker ended while this mail was on its way to the relay'\n        from abandoned a",
        'update send_ledger l set state = ${LEDGER_STATE.pending} from abandoned a',
      ),
    ],
    kinds: ['kill-worker', 'pause-worker', 'stop-and-kill-worker', 'stop-and-pause-worker'],
  },
  'dead-are-not-settled': {
    about: 'nobody looks after those who were on the wire when a worker died',
    changes: [
      change(SHARDS, 'where f.abandoned and l.mailing_id', 'where false and l.mailing_id'),
      change(SHARDS, 'l.position between a.from_position and a.to_position and l.state', 'false and l.state'),
      change(
        SHARDS,
        'from held where l.mailing_id = $1 and l.position between $4 and $5',
        'from held where false and l.position between $4 and $5',
      ),
    ],
    kinds: ['kill-worker', 'stop-and-kill-worker'],
  },
  'lease-ignored': {
    about: 'a worker does not ask whether its lease still holds before it writes a mail',
    changes: [change(SLICE, 'this.setup.relay.send(mail, mayWrite)', 'this.setup.relay.send(mail, () => mayWrite() || true)')],
    kinds: ['pause-worker', 'stop-and-pause-worker'],
  },
  'counted-before-the-answer': {
    about: 'a mail is accepted when it is given to the relay',
    changes: [
      change(
        SLICE,
        'this.setup.relay.send(mail, mayWrite).then((outcome) => {',
        `const sent = this.setup.relay.send(mail, mayWrite);
    Promise.race([sent, Promise.resolve({ kind: 'accepted', reply: '' } as Outcome)]).then((outcome) => {`,
      ),
    ],
    kinds: [
      'kill-worker',
      'relay-550',
      'relay-554-at-end',
      'relay-450',
      'relay-drops',
      'relay-closes-before-dot',
      'relay-silent',
      'relay-garbage',
    ],
  },
  'lost-is-sent-again': {
    about: 'a mail whose answer was lost counts as unsent',
    changes: [
      change(
        DELIVERY,
        "relay === 'down' ? { kind: 'uncertain', reply: reason } :",
        "relay === 'down' ? { kind: 'unsent', relay, reply: reason } :",
      ),
    ],
    kinds: ['worker-relay-reset', 'worker-relay-drop', 'relay-drops', 'relay-takes-and-closes', 'relay-half-a-line', 'relay-full'],
  },
  'lost-is-accepted': {
    about: 'a mail whose answer was lost counts as accepted',
    changes: [
      change(
        DELIVERY,
        "relay === 'down' ? { kind: 'uncertain', reply: reason } :",
        "relay === 'down' ? { kind: 'accepted', reply: reason } :",
      ),
    ],
    kinds: ['relay-closes-before-dot', 'relay-closes-after-dot', 'relay-garbage', 'relay-silent'],
  },
  'goodbye-is-a-loss': {
    about: 'after 421 in the place of an answer nobody is sure any more',
    changes: [change(DELIVERY, ": { kind: 'unsent', relay, reply: reason });", ": { kind: 'uncertain', reply: reason });")],
    kinds: ['relay-421-at-end'],
  },
  'not-begun-is-failed': {
    about: 'a mail fails with the connection it was to go on',
    changes: [change(DELIVERY, 'else if (job) unsent.unshift(job);', "else if (job) job.settle({ kind: 'failed', reply: reason });")],
    kinds: ['relay-421', 'relay-full', 'worker-relay-reset'],
  },
  'later-is-never': {
    about: 'a 4xx is taken for a 5xx',
    changes: [
      change(DELIVERY, "if (code < 500) return { kind: 'deferred', reply };", "if (code < 500) return { kind: 'failed', reply };"),
      change(DELIVERY, "{ kind: code < 500 ? 'deferred' : 'failed', reply }", "{ kind: 'failed', reply }"),
    ],
    kinds: ['relay-450', 'relay-452-at-end'],
  },
  'refused-is-accepted': {
    about: 'a 5xx is taken for a yes',
    changes: [
      change(DELIVERY, "return code < 300 ? { kind: 'accepted', reply }", "return code < 300 || code >= 500 ? { kind: 'accepted', reply }"),
      change(DELIVERY, "  return { kind: 'failed', reply };\n}", "  return { kind: 'accepted', reply };\n}"),
    ],
    kinds: ['relay-550', 'relay-554-at-end'],
  },
  impatient: {
    about: 'an answer that is slow is not waited for',
    changes: [
      change(
        'mail/smtp/relay.ts',
        'waited > (delivery.isQuitting ? QUIT_MS : timeoutMs)',
        'waited > (delivery.isQuitting ? QUIT_MS : timeoutMs / 10)',
      ),
    ],
    kinds: ['worker-relay-delay'],
  },
  'sent-before-claimed': {
    about: 'mails are written before their recipients are marked as sending',
    changes: [
      change(
        SLICE,
        'const turn = await this.turn(shard, next);',
        'for (const position of next) this.launch(shard, position, mails.get(position) as Mail);\n      const turn = await this.turn(shard, next);',
      ),
      change(SLICE, 'for (const position of turn.claimed) this.launch(shard, position, begun.get(position) as Mail);', 'void begun;'),
    ],
    kinds: [
      'kill-postgres',
      'worker-postgres-reset',
      'worker-postgres-drop',
      'postgres-full',
      'stop-and-kill-postgres',
      'stop-and-postgres-reset',
      'pause-postgres',
    ],
  },
  'taken-back-too-many': {
    about: 'after a lost connection everybody on the wire is pending again',
    changes: [
      change(
        SHARDS,
        'l.position = any($4::int[]) and l.state = ${LEDGER_STATE.sending})\n      select from held',
        '($4::int[] is not null) and l.state = ${LEDGER_STATE.sending})\n      select from held',
      ),
    ],
    kinds: ['kill-postgres', 'worker-postgres-reset', 'worker-postgres-drop', 'stop-and-postgres-reset'],
  },
  'database-must-be-quick': {
    about: 'a statement that takes half a second is given up, and its shard with it',
    changes: [
      change(
        SLICE,
        'turn = await commitTurn(pool, shard, leaseSeconds, done, next);',
        'turn = await Promise.race([commitTurn(pool, shard, leaseSeconds, done, next), later(500).then(() => ({ held: false, stopRequested: false, claimed: [] as number[] }))]);',
      ),
    ],
    kinds: ['worker-postgres-delay', 'pause-postgres'],
  },
  'lease-on-the-workers-clock': {
    about: 'a worker says by its own clock until when it holds a shard',
    changes: [
      change(
        SHARDS,
        '      shard.fence,\n      leaseSeconds,\n      done.map((d) => d.position),',
        `      shard.fence,\n      leaseSeconds + ${WORKER_IS_WRONG_BY},\n      done.map((d) => d.position),`,
      ),
      change(SHARDS, 'values: [mailingId, leaseSeconds, run],', `values: [mailingId, leaseSeconds + ${WORKER_IS_WRONG_BY}, run],`),
    ],
    kinds: ['clock-behind', 'clock-jumps'],
  },
  'rate-on-the-workers-clock': {
    about: 'a worker draws from the rate by its own clock',
    changes: [change(SLICE, 'clock ? clock.now() / 1000 : null)', 'Date.now() / 1000)')],
    kinds: ['clock-ahead', 'clock-jumps'],
  },
  'rate-never-set-right': {
    about: `after the database's clock was set back the rate waits until it is where it was`,
    changes: [
      change(
        PACE,
        'greatest(least(paid_until, c.now), c.now - greatest(${BURST_SECONDS}, 1 / rate))',
        'greatest(paid_until, c.now - greatest(${BURST_SECONDS}, 1 / rate))',
      ),
    ],
    kinds: ['database-clock-ahead', 'database-clock-jumps'],
  },
  'rate-catches-up': {
    about: 'what a pause left unused is all caught up',
    changes: [change(PACE, 'const BURST_SECONDS = 0.5;', 'const BURST_SECONDS = 1e9;')],
    kinds: ['database-clock-ahead', 'database-clock-jumps'],
  },
  'frozen-in-pieces': {
    about: 'a mailing is sending before its shards are written',
    changes: [
      change('activities/sending/activities.ts', "await client.query('begin');", "await client.query('select 1');"),
      change(
        'activities/sending/activities.ts',
        'const pending = await writeRun(',
        "await client.query(`update core_mailing set status = 'sending', started_at = now() where id = $1`, [mailingId]);\n    const pending = await writeRun(",
      ),
    ],
    kinds: ['kill-workers-in-freeze', 'kill-postgres-in-freeze'],
  },
  'rows-dropped': {
    about: 'four people are taken out of the ledger when a mailing is frozen',
    changes: [
      change(
        FREEZE,
        '  await db.query(\n    `insert into send_run',
        "  await db.query('delete from send_ledger where mailing_id = $1 and position between 5 and 8', [mailingId]);\n  await db.query(\n    `insert into send_run",
      ),
    ],
    kinds: ['calm'],
  },
  'content-of-another': {
    about: 'everybody is greeted by the name of whoever came before them',
    changes: [
      change(
        AUDIENCE,
        'this.page = rows;',
        'this.page = rows.map((row, n) => ({ ...row, first_name: rows[Math.max(0, n - 1)].first_name }));',
      ),
    ],
    kinds: ['calm'],
  },
  'leaves-are-not-heeded': {
    about: 'who left after the set was built is mailed all the same',
    changes: [
      change(AUDIENCE, "when u.subscription_status <> 'subscribed' then", "when u.subscription_status <> 'subscribed' and false then"),
    ],
    kinds: ['people-leave'],
  },
};
const ROOT = join(import.meta.dirname, '../..');

/** A file's text with its changes made. @throws Error when a text to be changed is not there exactly once */
export function spoil(source: string, changes: readonly Change[]): string {
  return changes.reduce((text, { file, from, to }) => {
    const parts = text.split(from);
    if (parts.length !== 2) throw new Error(`${file} has the text to be spoiled ${parts.length - 1} times, not once: ${from}`);
    return parts.join(to);
  }, source);
}

/** The sources a mutant changes, by path, as they are to be loaded. */
export function spoiledSources(name: string): Map<string, readonly Change[]> {
  const mutant = MUTANTS[name];
  if (!mutant) throw new Error(`there is no mutant ${name}; there are ${Object.keys(MUTANTS).join(', ')}`);
  const byFile = Map.groupBy(mutant.changes, ({ file }) => join(ROOT, file));
  for (const [file, changes] of byFile) spoil(readFileSync(file, 'utf8'), changes);
  return byFile;
}
