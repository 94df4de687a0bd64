import { setTimeout as sleep } from 'node:timers/promises';
import { LEDGER_STATE } from '../../domain/words.ts';
import type { Person } from './people.ts';
import { ASKED_LASTS, type Fault, none, type Scene, stops } from './scene.ts';

// What happens to people while a mailing is on its way to them. Who is concerned stands anywhere in the set: some have their mail, some are waiting.

const EXTRAS = 24;
/** Seconds, so that it happens to some before their mail and to others after it. */
const LASTS = 4;
/** Who left may be mailed for some seconds more: what comes later has to have its time, too. */
const LASTS_LONG = 12;

const AT_ONCE = 6;
/** After its answer; for a machine with far more to do than it can. */
const ERASED_WITHIN_MS = 120_000;

async function eachOf(people: readonly Person[], act: (person: Person) => Promise<void>): Promise<void> {
  const line = [...people];
  const oneAfterAnother = async () => {
    for (let person = line.shift(); person; person = line.shift()) await act(person);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, oneAfterAnother));
}

/** What the API answered with 201 is done soon after, by a workflow. */
async function untilComplete({ client }: Scene, uri: string): Promise<void> {
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(50)) {
    const { status } = await client.read<{ status: string }>(new URL(uri).pathname);
    if (status === 'complete' || status === 'completed') return;
    if (status === 'failed') break;
  }
  throw new Error(`${uri} is not done`);
}

/** The answer waits for the erasure, but not for longer than ten seconds: what takes longer goes on behind it. */
async function erase({ client }: Scene, { id, email }: Person): Promise<void> {
  await client.write('POST', '/rest/v1/eraser/', { user_id: id });
  for (const end = Date.now() + ERASED_WITHIN_MS; Date.now() < end; await sleep(50)) {
    const user = await client.read<{ email: string }>(`/rest/v1/user/${id}/`);
    if (user.email !== email) return;
  }
  throw new Error(`${email} is not erased`);
}

/** The second of each two goes into the first. */
async function merge(scene: Scene): Promise<void> {
  const pairs = scene.extras.flatMap((person, n) => (n % 2 === 0 ? [[person, scene.extras[n + 1]!] as const] : []));
  const jobs = await Promise.all(
    pairs.map(async ([kept, merged]) => {
      const [primary, other] = [kept, merged].map(({ id }) => `/rest/v1/user/${id}/`);
      return scene.client.write('POST', '/rest/v1/usermerge/', {
        primary_user: primary,
        users: [other],
        address_user: primary,
        source_user: primary,
      });
    }),
  );
  await Promise.all(jobs.map((job) => untilComplete(scene, job)));
  for (const [kept, merged] of pairs) scene.mergedInto(kept, merged);
}

/** New people come on the list, and those on it get new names. */
async function importPeople(scene: Scene): Promise<void> {
  const { client, extras, stage } = scene;
  const list = await client.read<{ objects: { resource_uri: string }[] }>('/rest/v1/list/?name=Everyone');
  const name = `import-${Date.now()}`;
  const page = await client.write('POST', '/rest/v1/importpage/', { name, list: list.objects[0]!.resource_uri });
  const fresh = extras.map((_, n) => `${name}.${n}@example.org`);
  for (const person of extras) scene.renamed(person, 'Renamed');
  const csv = ['email,first_name', ...fresh.map((email) => `${email},New`), ...extras.map(({ email }) => `${email},Renamed`)].join('\n');
  const form = new FormData();
  form.set('page', new URL(page).pathname);
  form.set('upload', new Blob([csv], { type: 'text/csv' }), 'people.csv');
  const authorization = `Basic ${Buffer.from('admin:admin-password').toString('base64')}`;
  const answer = await fetch(`${stage.place.baseUrl}/rest/v1/upload/`, { method: 'POST', headers: { authorization }, body: form });
  if (answer.status !== 201) throw new Error(`the upload was answered with ${answer.status}: ${await answer.text()}`);
  await untilComplete(scene, answer.headers.get('location')!);
  // They are of no later round.
  await stage.pool.query('delete from core_subscription s using core_user u where u.id = s.user_id and u.email = any($1)', [fresh]);
}

/** While a mailing is stopped nobody is on the way, and whoever is accepted has it; nothing more is sent until it is queued again. */
async function stopAlone(scene: Scene): Promise<void> {
  const { stage, mailingId, mails } = scene;
  await scene.stopMailing();
  await stops(scene);
  const taken = mails.size;
  const { rows } = await stage.pool.query<{ state: number; count: number }>(
    'select state, count(*)::int as count from send_record where mailing_id = $1 group by state',
    [mailingId],
  );
  const count = (state: number) => rows.find((row) => row.state === state)?.count ?? 0;
  const [accepted, sending, uncertain] = [LEDGER_STATE.accepted, LEDGER_STATE.sending, LEDGER_STATE.uncertain].map(count);
  if (accepted !== taken || sending || uncertain) {
    scene.wrong(`stopped: the relay has ${taken}, accepted are ${accepted}, sending ${sending}, uncertain ${uncertain}`);
  }
  await sleep(500);
  if (mails.size > taken) scene.wrong(`${mails.size - taken} mails came after it was stopped`);
  await scene.queueMailing();
}

export const PEOPLE_FAULTS: Readonly<Record<string, Fault>> = {
  'people-leave': {
    uncertain: none,
    extras: EXTRAS,
    lasts: LASTS_LONG,
    until: 0.2,
    strike: (scene) =>
      eachOf(scene.extras, async (person) => {
        await scene.client.write('POST', '/rest/v1/action/', { page: 'leave', email: person.email });
        scene.left(person);
      }),
  },
  'people-erased': {
    uncertain: none,
    extras: EXTRAS,
    lasts: LASTS_LONG,
    until: 0.2,
    strike: (scene) =>
      eachOf(scene.extras, async (person) => {
        scene.renamed(person, '');
        await erase(scene, person);
        scene.left(person);
      }),
  },
  'people-merged': { uncertain: none, extras: EXTRAS, lasts: LASTS, until: 0.5, strike: merge },
  'people-imported': { uncertain: none, extras: EXTRAS, lasts: LASTS, until: 0.5, strike: importPeople },
  'two-mailings': { uncertain: none, until: 0.3, strike: (scene) => scene.sendAnother() },
  stop: { uncertain: none, lasts: ASKED_LASTS, until: 0.2, strike: stopAlone },
};
