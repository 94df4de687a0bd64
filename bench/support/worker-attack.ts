import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { ApiClient } from './api-client.ts';
import type { HostileInput } from './hostile-inputs.ts';
import type { WatchedApi } from './watched-api.ts';

// What the API took of the hostile inputs is given to a worker: mailings are proofed, frozen and sent, templates become confirmations of a page, files are
// imported, reports are run in the background.

const PEOPLE = 3;
const PATIENCE_MS = 60_000;

/** Something for a worker to do. */
export interface WorkerInput {
  name: string;
  /** @returns what became of it; 'refused' when the API did not take it, null when it did not come to an end in time */
  run(): Promise<string | null>;
}

/** An API with people, a list and pages, and a worker beside it. */
export async function workerInputs(api: WatchedApi, pool: pg.Pool, inputs: HostileInput[]): Promise<WorkerInput[]> {
  const client = new ApiClient(api.baseUrl, 'admin', 'hostile-bench');
  const list = await client.create('/rest/v1/list/', { name: 'Hostile' });
  await pool.query(
    `with people as (insert into core_user (email, first_name, subscription_status)
       select 'p' || n || '@hostile.test', 'P', 'subscribed' from generate_series(1, $1) n returning id)
     insert into core_subscription (user_id, list_id) select people.id, $2 from people`,
    [PEOPLE, Number(list.split('/').at(-2))],
  );
  await client.create('/rest/v1/signuppage/', {
    name: 'hostile',
    list,
    followup: { send_email: true, email_subject: 's', email_body: 'x' },
  });
  await client.create('/rest/v1/importpage/', { name: 'none', list });
  await client.create('/rest/v1/queryreport/', {
    name: 'Wide',
    short_name: 'wide',
    sql: `select n, repeat('"é', 200) as x, array_fill(n, array[50]) as a from generate_series(1, 50000) n`,
  });

  const mails = inputs.filter(({ name, path }) => path === '/rest/v1/mailer/' && name.startsWith('mailer: '));
  const files = inputs.filter(({ path }) => path === '/rest/v1/upload/');
  return [
    ...mails.map(({ name, body }) => ({ name: name.replace('mailer', 'send'), run: () => send(JSON.parse(body)) })),
    ...mails.map(({ name, body }) => ({ name: name.replace('mailer', 'confirm'), run: () => confirm(JSON.parse(body)) })),
    ...files.map((input) => ({ name: input.name.replace('upload', 'import'), run: () => take(input) })),
    { name: 'report: 50,000 wide rows', run: () => report() },
  ];

  async function send(body: Record<string, unknown>): Promise<string | null> {
    const mailing = await made('/rest/v1/mailer/', { ...body, custom_fromline: 'a@hostile.test', includes: { lists: [list] } });
    if (mailing === null) return 'refused';
    await ended(await client.create(`${mailing}rebuild/`));
    const proofs = await made(`${mailing}proofs/`, { proofs: PEOPLE, reviewers: ['boss@hostile.test'] });
    if (proofs !== null) await ended(proofs);
    if ((await made(`${mailing}queue/`)) === null) return 'not queued';
    return until(async () => {
      const { status } = await client.get<{ status: string }>(`${mailing}status/`);
      return ['completed', 'died', 'stopped'].includes(status) ? status : null;
    });
  }

  async function confirm({ html }: { html?: unknown }): Promise<string | null> {
    const [page] = (await client.get<{ objects: { resource_uri: string }[] }>('/rest/v1/signuppage/?name=hostile')).objects;
    if (!(await taken('PATCH', page!.resource_uri, { followup: { email_body: html } }))) return 'refused';
    await client.create('/rest/v1/action/', { page: 'hostile', email: 'p1@hostile.test' });
    return until(async () => {
      const { rows } = await pool.query<{ status: string }>('select status from core_transactionalmailing order by id desc limit 1');
      return rows[0] && !['pending', 'sending'].includes(rows[0].status) ? rows[0].status : null;
    });
  }

  async function take(input: HostileInput): Promise<string | null> {
    const answer = await fetch(new URL(input.path, api.baseUrl), { method: 'POST', headers: input.headers, body: input.body });
    if (!answer.ok) return 'refused';
    return ended(new URL(answer.headers.get('location')!).pathname, 'is_completed');
  }

  async function report(): Promise<string | null> {
    return ended(await client.create('/rest/v1/report/background/wide/'));
  }

  async function ended(poll: string, flag = 'finished'): Promise<string | null> {
    return until(async () => ((await client.get<Record<string, unknown>>(poll))[flag] ? 'finished' : null));
  }

  /** @returns where it is, or null when it was refused */
  async function made(path: string, body?: unknown): Promise<string | null> {
    return client.create(path, body).catch(refusal);
  }

  async function taken(method: string, path: string, body: unknown): Promise<boolean> {
    return (await client.request(method, path, body).catch(refusal)) !== null;
  }
}

function refusal(error: Error): null {
  if (/: 4\d\d /.test(error.message)) return null;
  throw error;
}

async function until(ended: () => Promise<string | null>): Promise<string | null> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(20)) {
    const how = await ended();
    if (how !== null) return how;
  }
  return null;
}
