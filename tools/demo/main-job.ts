import type { Steps } from './bars.ts';
import type { ApiClient } from './client.ts';
import { loadCrowd } from './crowd.ts';
import type { Signup } from './people.ts';
import type { Told } from './verdict.ts';

// The main job, over the HTTP API alone: people in, a mailing created, targeted, built, proofed, queued, watched, its results read.

const LIST = 'Demo news';
const PAGE = 'demo-signup';
export const REVIEWER = 'reviewer@campaign.example';
const SIGNUPS_AT_ONCE = 8;

const HTML = `<h1>Hello {{ user.first_name|default:"friend" }}</h1>
<p>{% if user.state %}You are one of our people in {{ user.state }}.{% else %}Tell us where you live.{% endif %}</p>
<p>There is a vote on Thursday, and your call counts.</p>`;

/** People sign up on a page, which subscribes them; generated ones are loaded beside them. @returns the name of the list all are on */
export async function bringPeopleIn(api: ApiClient, people: Signup[], crowd: number, databaseUrl: string, steps: Steps): Promise<string> {
  const list = await api.write('POST', '/rest/v1/list/', { name: LIST });
  const listId = Number(/(\d+)\/$/.exec(list)![1]);
  await api.write('POST', '/rest/v1/signuppage/', { name: PAGE, title: 'Sign up', list });
  const step = steps('people sign up', people.length);
  const waiting = [...people];
  const oneAfterAnother = async () => {
    for (let person = waiting.shift(); person; person = waiting.shift()) {
      await api.write('POST', '/rest/v1/action/', { page: PAGE, source: 'demo', ...person });
      step.update(people.length - waiting.length);
    }
  };
  await Promise.all(Array.from({ length: SIGNUPS_AT_ONCE }, oneAfterAnother));
  step.end();
  if (crowd) {
    const loading = steps('people are generated', crowd);
    await loadCrowd(databaseUrl, crowd, listId, statesOf(people), (count) => loading.update(count));
    loading.end();
  }
  return LIST;
}

export const statesOf = (people: Signup[]) => [...new Set(people.map(({ state }) => state))].sort();

/** Creates the mailing, targets it, builds its set and sends proofs. @returns its path and how many are in the set */
export async function prepareMailing(api: ApiClient, list: string, states: string[], rate: number | null, steps: Steps) {
  const created = steps('create and target', 2);
  const mailing = await api.write('POST', '/rest/v1/mailer/', {
    subjects: ['A vote on Thursday, {{ user.first_name|default:"friend" }}', 'Your call counts'],
    html: HTML,
    fromline: '"Campaign Platform" <news@campaign.example>',
    notes: 'Made by npm run demo',
  });
  created.update(1);
  await api.write('PATCH', mailing, { includes: { lists: [list], states }, ...(rate && { mails_per_second: rate }) });
  created.end(`lists: ${list}; states: ${states.length}`);

  const uris = await api.read<{ rebuild: string; proofs: string; queue: string; results: string }>(mailing);
  const building = steps('build the target set', 1);
  const build = await api.poll<{ finished: boolean; success: boolean; results: number; errors: string[] }>(
    await api.write('POST', uris.rebuild),
    100,
  );
  if (!build.success) throw new Error(`The target set could not be built: ${build.errors.join('; ')}`);
  building.end(`${build.results} people`);

  const proofing = steps('send proofs', 2);
  const proofs = await api.write('POST', uris.proofs, { proofs: 2, reviewers: [REVIEWER] });
  const sent = await api.poll<{ finished: boolean; success: boolean; sent: number; errors: string[] }>(proofs, 100);
  if (!sent.success) throw new Error(`The proofs could not be sent: ${sent.errors.join('; ')}`);
  proofing.end(`to ${REVIEWER}`);
  return { mailing, uris, targeted: build.results };
}

/** What the platform tells of a mailing that is being sent: the part that is held against what arrived. */
export interface Progress {
  finished: boolean;
  status: string;
  progress: number;
  failed: number;
  skipped: number;
  uncertain: number;
  expected_send_count: number;
  pause: { reason: string } | null;
}

/** Queues the mailing and watches it to its end. @returns what the platform tells of it */
export async function sendMailing(
  api: ApiClient,
  { uris, targeted }: Awaited<ReturnType<typeof prepareMailing>>,
  steps: Steps,
): Promise<Told> {
  const sending = steps('send', targeted);
  const rate = recentRate();
  const { status } = await api.poll<Progress>(await api.write('POST', uris.queue), 200, (now) => {
    sending.update(now.progress + now.failed + now.skipped + now.uncertain, now.pause?.reason ?? `${rate(now.progress)} mails/s`);
  });
  const { totals } = await api.read<{ totals: Record<'recipients' | 'failed' | 'skipped' | 'uncertain', number> }>(uris.results);
  sending.end(status);
  return { status, targeted, accepted: totals.recipients, failed: totals.failed, skipped: totals.skipped, uncertain: totals.uncertain };
}

/** Mails per second over the last three seconds, from counts as they come. */
function recentRate(): (count: number) => number {
  const seen: { at: number; count: number }[] = [];
  return (count) => {
    const now = { at: performance.now(), count };
    seen.push(now);
    while (seen[1] && now.at - seen[0]!.at > 3000) seen.shift();
    return Math.round(((count - seen[0]!.count) * 1000) / Math.max(now.at - seen[0]!.at, 1));
  };
}

/** Addresses of those of whom the platform says that nobody can know whether they got their mail. */
export async function readUncertain(api: ApiClient, mailing: string): Promise<string[]> {
  const addresses: string[] = [];
  let page: string | null = `${new URL(mailing).pathname}uncertain/?_limit=100`;
  while (page) {
    const { meta, objects }: { meta: { next: string | null }; objects: { user: string }[] } = await api.read(page);
    for (const { user } of objects) addresses.push((await api.read<{ email: string }>(user)).email);
    page = meta.next;
  }
  return addresses;
}
