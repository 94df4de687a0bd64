// Long: a list of engines broken on purpose, each with its texts.

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
const RATE = 'migrations/2026-11-22-19-rates.ts';
const FREEZE = 'core/sending/freeze.ts';
const AUDIENCE = 'core/sending/audience.ts';
const DELIVERY = 'mail/smtp/delivery.ts';
const DATA = 'mail/smtp/data-delivery.ts';
const CHUNKS = 'mail/smtp/chunk-delivery.ts';
const RELAY = 'mail/smtp/relay.ts';
const BEGIN = 'core/sending/begin-sending.ts';
const ACTIVITIES = 'activities/sending/activities.ts';
const REBUILD = 'core/targeting/rebuild-set.ts';
const STOP = 'api/mailer/stop.ts';
const STOPPED = 'core/mailings/stop-mailing.ts';

const change = (file: string, from: string, to: string): Change => ({ file, from, to });

/** Seconds by which the wall clock of a worker is wrong, as turned-clock.ts has turned it. */
const WORKER_IS_WRONG_BY = '(Date.now() - performance.timeOrigin - performance.now()) / 1000';

const ANSWER_LOST = "relay === 'down' ? { kind: 'uncertain', reply: reason } :";
const CHUNK_LOST = "else job.settle({ kind: 'uncertain', reply: reason });";

export const MUTANTS: Readonly<Record<string, Mutant>> = {
  'rows-dropped': {
    about: 'four people are taken out of the set when a mailing is frozen',
    changes: [
      change(
        FREEZE,
        '  await db.query(\n    `insert into send_run',
        "  await db.query('update send_set set user_ids[5:8] = array[0, 0, 0, 0] where mailing_id = $1 and first = 1', [mailingId]);\n  await db.query(\n    `insert into send_run",
      ),
    ],
    kinds: ['calm'],
  },
  'name-of-another': {
    about: 'everybody is greeted by the name of whoever came before them',
    changes: [
      change(
        AUDIENCE,
        'return { rows, start: place, end, readAt };',
        'return { rows: rows.map((row, n) => ({ ...row, first_name: (rows as never as Record<string, string>[])[Math.max(0, n - 1)].first_name })) as never, start: place, end, readAt };',
      ),
    ],
    kinds: ['calm'],
  },
  'dead-are-sent-again': {
    about: 'who was on the wire when a worker died is pending again',
    changes: [
      change(SHARDS, `array_fill(\${uncertain}::int2, array[many])`, `array_fill(\${pending}::int2, array[many])`),
      change(SHARDS, 'uncertain = s.uncertain + many from lost', 'uncertain = s.uncertain from lost'),
    ],
    kinds: ['kill-worker', 'pause-worker', 'stop-and-kill-worker'],
  },
  'lease-ignored': {
    about: 'a worker does not ask whether its lease still holds before it writes a mail',
    changes: [
      change(SLICE, 'this.setup.relay.send(mail, mayWrite)', 'this.setup.relay.send(mail, () => mayWrite() || true)'),
      // And does not find that the relay was silent, for it was asleep itself.
      change(RELAY, '(delivery.isQuitting ? QUIT_MS : timeoutMs)', '(delivery.isQuitting ? QUIT_MS : timeoutMs * 5)'),
    ],
    kinds: ['pause-worker', 'stop-and-pause-worker'],
  },
  'leaves-them-on-the-wire': {
    about: 'a slice that is called off does not wait for what is on the wire',
    changes: [
      change(
        SLICE,
        'if (this.hold.wire.size === 0 && (ending ||',
        'if ((this.setup.stop.aborted || this.hold.wire.size === 0) && (ending ||',
      ),
    ],
    kinds: ['stop-worker'],
  },
  'never-tried-again': {
    about: 'a slice that ends with its worker or its connection is not begun anew',
    changes: [
      change(
        'activities/workflow-bundle.ts',
        'if (existsSync(codePath)) return { codePath };',
        "if (existsSync(codePath)) return { code: readFileSync(codePath, 'utf8').replaceAll(\"maximumInterval: '15 seconds'\", \"maximumInterval: '15 seconds', maximumAttempts: 1\") };",
      ),
    ],
    kinds: ['worker-temporal-drop', 'worker-temporal-reset', 'pause-temporal'],
  },
  'two-seconds-are-for-ever': {
    about: 'a slice of which nothing was heard for two seconds is given up, and not begun anew',
    changes: [
      change(
        'activities/workflow-bundle.ts',
        'if (existsSync(codePath)) return { codePath };',
        "if (existsSync(codePath)) return { code: readFileSync(codePath, 'utf8').replaceAll(\"maximumInterval: '15 seconds'\", \"maximumInterval: '15 seconds', maximumAttempts: 1\").replace('heartbeatTimeout: silenceSeconds * 1000', 'heartbeatTimeout: 2000') };",
      ),
    ],
    kinds: ['kill-temporal', 'worker-temporal-delay'],
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
    kinds: ['relay-550', 'relay-554-at-end', 'relay-drops'],
  },
  'lost-is-sent-again': {
    about: 'a mail whose answer was lost counts as unsent',
    changes: [
      change(DATA, ANSWER_LOST, "relay === 'down' ? { kind: 'unsent', relay, reply: reason } :"),
      change(CHUNKS, CHUNK_LOST, 'else this.#unsent.push(job);'),
    ],
    kinds: ['relay-takes-and-closes', 'relay-half-a-line', 'worker-relay-reset', 'worker-relay-drop', 'relay-answers-the-first-chunk'],
  },
  'lost-is-accepted': {
    about: 'a mail whose answer was lost counts as accepted',
    changes: [
      change(DATA, ANSWER_LOST, "relay === 'down' ? { kind: 'accepted', reply: reason } :"),
      change(CHUNKS, CHUNK_LOST, "else job.settle({ kind: 'accepted', reply: reason });"),
    ],
    kinds: [
      'relay-closes-before-dot',
      'relay-closes-after-dot',
      'relay-garbage',
      'relay-silent',
      'relay-closes-in-chunk',
      'relay-closes-before-chunk',
      'relay-closes-between-chunks',
      'relay-silent-in-chunks',
      'relay-500-at-rset',
      'relay-miscounts-chunk',
      'relay-full',
    ],
  },
  'goodbye-is-accepted': {
    about: 'a mail answered with 421 counts as accepted',
    changes: [
      change(DATA, ": { kind: 'unsent', relay, reply: reason });", ": { kind: 'accepted', reply: reason });"),
      change(CHUNKS, 'this.#pool.afterGoodbye(job, shownReply(text))', "{ kind: 'accepted', reply: shownReply(text) }"),
    ],
    kinds: ['relay-421-at-end'],
  },
  'not-begun-is-failed': {
    about: 'a mail fails with the connection it was to go on',
    changes: [
      change(DATA, 'else if (job) unsent.unshift(job);', "else if (job) job.settle({ kind: 'failed', reply: reason });"),
      change(
        CHUNKS,
        'else if (!whole || this.#saidGoodbye || (refusal && !mayHaveRecipient)) this.#unsent.push(job);',
        "else if (!whole || this.#saidGoodbye || (refusal && !mayHaveRecipient)) job.settle({ kind: 'failed', reply: reason });",
      ),
    ],
    kinds: ['relay-421'],
  },
  'later-is-never': {
    about: 'a 4xx is taken for a 5xx',
    changes: [
      change(
        DELIVERY,
        "return isOfItself(text) ? pool.putOffByItself(reply) : { kind: 'deferred', reply };",
        "return { kind: 'failed', reply };",
      ),
    ],
    kinds: ['relay-450', 'relay-452-at-end'],
  },
  'chunks-behind-one-another': {
    about: 'mails go out behind a refused one without beginning anew',
    changes: [
      change(CHUNKS, 'pieces.push(`RSET\\r\\n${', 'pieces.push(`${'),
      change(CHUNKS, "awaits: 'rset', refusal", "awaits: 'mail', refusal"),
    ],
    kinds: ['relay-550-in-chunks'],
  },
  'goodbye-is-the-end': {
    about: 'after a 421 nobody listens what becomes of the mails behind it',
    changes: [
      change(
        CHUNKS,
        "if (mail.awaits === 'content') this.#after",
        "if (this.#saidGoodbye) this.#wire.drop(text);\n      else if (mail.awaits === 'content') this.#after",
      ),
    ],
    kinds: ['relay-421-and-goes-on'],
  },
  'no-chunks-is-failed': {
    about: 'a mail fails because the relay does not know BDAT',
    changes: [change(CHUNKS, 'else if (NO_CHUNKS.has(code))', 'else if (code < 200)')],
    kinds: ['relay-503-at-bdat'],
  },
  'refused-means-refused': {
    about: 'a mail the relay first refused and then took counts as refused',
    changes: [change(CHUNKS, 'if (refusal && code < 300) {', 'if (refusal && code < 200) {')],
    kinds: ['relay-contradicts-itself'],
  },
  'refused-chunk-is-taken': {
    about: 'any answer to a chunk counts as taken',
    changes: [
      change(CHUNKS, 'this.#answered(mail, finalOutcome(code, text, this.#pool));', 'this.#answered(mail, finalOutcome(250, text));'),
    ],
    kinds: ['relay-554-in-chunks'],
  },
  impatient: {
    about: 'an answer that takes a second is not waited for',
    changes: [change(RELAY, '(delivery.isQuitting ? QUIT_MS : timeoutMs)', '(delivery.isQuitting ? QUIT_MS : timeoutMs / 4)')],
    kinds: ['worker-relay-delay'],
  },
  'sent-before-claimed': {
    about: 'mails are written half a second before their recipients are marked as sending',
    changes: [
      change(
        SLICE,
        'const turn = await this.turn(shard, next);',
        'for (const position of next) this.launch(shard, position, mails.get(position) as Mail);\n      const turn = await this.turn(shard, next);',
      ),
      change(SLICE, 'turn = await this.commit(shard, done, next);', 'turn = await later(400).then(() => this.commit(shard, done, next));'),
      change(
        SLICE,
        'else for (const position of turn.claimed) this.launch(shard, position, begun.get(position) as Mail);',
        'else void begun;',
      ),
    ],
    kinds: ['kill-worker'],
  },
  'lost-turns-are-sent-again': {
    about: 'after a lost connection those are pending again whose outcome was just being written',
    changes: [
      change(
        SLICE,
        'fences.slice(0, -1), fresh, leaseSeconds, unclaimed);',
        'fences.slice(0, -1), fresh, leaseSeconds, [...unclaimed, ...done.map(({ position }) => position)]);',
      ),
      change(SLICE, 'return await this.commit(shard, left, []);', 'return await this.commit(shard, [], []);'),
    ],
    kinds: [
      'worker-postgres-reset',
      'worker-postgres-drop',
      'kill-postgres',
      'pause-postgres',
      'postgres-full',
      'stop-and-kill-postgres',
      'stop-and-postgres-reset',
    ],
  },
  'shard-left-to-others': {
    about: 'a turn that takes a second is given up, and its shard with it',
    changes: [
      change(
        SLICE,
        'turn = await this.commit(shard, done, next);',
        'turn = await Promise.race([this.commit(shard, done, next), later(1000).then(() => LOST)]);',
      ),
    ],
    kinds: ['worker-postgres-delay'],
  },
  'lease-on-the-workers-clock': {
    about: 'a worker says by its own clock until when it holds a shard',
    changes: [
      change(
        SHARDS,
        '      shard.seq,\n      leaseSeconds,\n      claimedTo,',
        `      shard.seq,\n      leaseSeconds + ${WORKER_IS_WRONG_BY},\n      claimedTo,`,
      ),
      change(SHARDS, 'values: [mailingId, leaseSeconds, run],', `values: [mailingId, leaseSeconds + ${WORKER_IS_WRONG_BY}, run],`),
    ],
    kinds: ['clock-behind', 'clock-jumps'],
  },
  'rate-on-the-workers-clock': {
    about: 'a worker draws from the rate by its own clock',
    changes: [change(SLICE, 'wanted, clock ? clock.now() / 1000 : null)', 'wanted, Date.now() / 1000)')],
    kinds: ['clock-ahead'],
  },
  'rate-never-set-right': {
    about: 'a clock that was set back makes the rate wait until it is where it was',
    changes: [change(RATE, 'else least(coalesce(last.paid_until, 0), present) end', 'else last.paid_until end')],
    kinds: ['database-clock-ahead', 'database-clock-jumps'],
  },
  'rate-catches-up': {
    about: 'what a pause left unused is all caught up',
    changes: [
      change(RATE, 'present - burst, present + held', 'case when last.paid_until is null then present - burst end, present + held'),
    ],
    kinds: ['database-clock-behind'],
  },
  'frozen-in-pieces': {
    about: 'a mailing is sending before its shards are written',
    changes: [
      change(
        BEGIN,
        'return await inOneTransaction(deps.pool, (sql, client) => begin(deps, sql, client, attempt));',
        `const client = await deps.pool.connect();
    const sql = async (text, values = []) => (await client.query(text, values)).rows;
    return await begin(deps, sql, client, attempt).finally(() => client.release());`,
      ),
      change(
        BEGIN,
        'const { pending, accepted, targeted } = await writeRun(',
        "await client.query(`update core_mailing set status = 'sending', started_at = now() where id = $1`, [mailingId]);\n  const { pending, accepted, targeted } = await writeRun(",
      ),
    ],
    kinds: ['kill-workers-in-freeze', 'kill-postgres-in-freeze'],
  },
  'built-in-pieces': {
    about: 'a set is written in two pieces, and one that is found is taken for whole',
    changes: [
      change(
        REBUILD,
        'await emptySet(client, mailingId);',
        `await client.query('commit');
  const { rows: [{ there }] } = await client.query('select coalesce(sum(cardinality(user_ids)), 0)::int as there from send_set where mailing_id = $1', [mailingId]);
  if (there) {
    await finishRebuild(client, request, plan, there, false);
    return there;
  }`,
      ),
      change(REBUILD, `from (\${audience.text}) audience group by`, `from (\${audience.text}) audience where place <= 100 group by`),
      change(
        REBUILD,
        'const { count } = inserted.rows[0]!;',
        `await client.query('update core_mailingrebuild set results = 0 where id = $1', [request.jobId]);
  const rest = await client.query(
    \`insert into send_set (mailing_id, first, least_user, most_user, user_ids)
     select $\${next + 1}::int, $\${next + 2}::int + min(place), min(user_id), max(user_id), array_agg(user_id order by place)
     from (\${audience.text}) audience where place > 100 group by (place - 1) / 1000 returning cardinality(user_ids) as many\`,
    [...audience.values, mailingId, last],
  );
  const count = inserted.rows[0]!.count + rest.rows.reduce((sum, { many }) => sum + many, 0);`,
      ),
    ],
    kinds: ['kill-workers-in-rebuild', 'kill-postgres-in-rebuild'],
  },
  'mailings-mixed': {
    about: 'an outcome is written for everybody who has the same place in any mailing',
    changes: [
      change(
        SHARDS,
        'select $1, $2, seq, $12, $13, $14, $15 from turned where',
        'select m.mailing_id, $2, 1000000 * $1 + turned.seq, $12, $13, $14, $15 from turned, send_shard m where m.shard = $2 and not m.finished and',
      ),
    ],
    kinds: ['two-mailings'],
  },
  'leaves-are-not-heeded': {
    about: 'who left after the set was built is mailed all the same',
    changes: [
      change(AUDIENCE, "when u.subscription_status <> 'subscribed' then", "when u.subscription_status <> 'subscribed' and false then"),
      change(AUDIENCE, '"when member.user_id is null then', '"when false and member.user_id is null then'),
      change(
        'core/sending/recipients-who-go.ts',
        'edit(sql, place, [{ position: place.position, state: skipped, detail: reason }], { skipped: 1 });',
        'Promise.resolve(void [edit, place, reason, skipped, sql]);',
      ),
    ],
    kinds: ['people-leave', 'people-erased'],
  },
  'merged-are-mailed-again': {
    about: 'of the rows of merged users the one that says least stays',
    changes: [change('core/sending/recipients-who-go.ts', '[LEDGER_STATE.accepted]: 5,', '[LEDGER_STATE.accepted]: -1,')],
    kinds: ['people-merged'],
  },
  'imported-are-mailed-too': {
    about: 'who comes on the list while a mailing is sent gets into its ledger',
    changes: [
      change(
        'core/people/import-block.ts',
        'await saveUserFields(sql, lines, people);',
        `await saveUserFields(sql, lines, people);
  await sql(
    \`insert into send_set (mailing_id, first, least_user, most_user, user_ids)
     select m.id, 1000000 + u, u, u, array[u] from (select max(id) as id from core_mailing) m, unnest($1::int[]) u on conflict do nothing\`,
    [people.map(({ id }) => id)],
  );`,
      ),
    ],
    kinds: ['people-imported'],
  },
  'stop-is-only-said': {
    about: 'a stop is answered, and nothing else',
    changes: [change(STOP, '    await stopMailing(stopping(context), idOf(request));\n', '')],
    kinds: ['stop'],
  },
  'stop-needs-its-signal': {
    about: 'a stop is not written down, and nobody minds when its signal cannot be sent',
    changes: [
      change(STOPPED, 'const marked = await askToStop(sqlOn(pool), id);', 'const marked = await askToStop(sqlOn(pool), -id);'),
      change(STOPPED, '  if (STOPPABLE.includes(status)) return markStopped(pool, id);\n', ''),
      change('api/plugins/workflows.ts', 'signal(message, ...args));', 'signal(message, ...args), 700);'),
    ],
    kinds: ['api-temporal-reset'],
  },
  'away-is-an-error': {
    about: 'the API tells its callers of an internal error when its database is away',
    changes: [
      change(
        'api/errors.ts',
        'return { status: 503, body: { errors: { service: [message] } }',
        'return { status: 500, body: { errors: { service: [message] } }',
      ),
    ],
    kinds: ['api-postgres-reset'],
  },
  'api-without-patience': {
    about: 'the API calls it an internal error when a stop takes a second',
    changes: [
      change(
        STOP,
        'await stopMailing(stopping(context), idOf(request));',
        `const late = new Promise((_, reject) => setTimeout(reject, 1000, new Error('too late')).unref());
    await Promise.race([stopMailing(stopping(context), idOf(request)), late]);`,
      ),
    ],
    kinds: ['api-postgres-drop', 'api-postgres-delay', 'api-temporal-drop', 'api-temporal-delay'],
  },
  'sending-needs-the-api': {
    about: 'a worker asks the API before each slice, and gives the mailing up without an answer',
    changes: [
      change(
        ACTIVITIES,
        'const closed = await heartbeating(',
        `const { ApplicationFailure } = await import('@temporalio/common');
      await fetch(\`\${process.env['BASE_URL']}/health/live\`, { signal: AbortSignal.timeout(1000) }).catch(() => {
        throw ApplicationFailure.nonRetryable('the API is away', 'Away');
      });
      const closed = await heartbeating(`,
      ),
    ],
    kinds: ['kill-api', 'pause-api'],
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
