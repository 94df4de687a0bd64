import { join } from 'node:path';
import type { Child } from '../../embedded/child.ts';
import { freePort } from '../../embedded/ports.ts';
import { runProgram, startApiProcess, startWorkerProcess } from '../../embedded/programs.ts';
import { ReplicatedPostgres } from '../../embedded/replicated-postgres.ts';
import { startSmtpSink } from '../../embedded/smtp-sink.ts';
import { ApiClient } from '../../tools/demo/client.ts';
import { loadCrowd } from '../../tools/demo/crowd.ts';
import { dataFolder } from './data-folder.ts';
import { atEnd } from './endings.ts';
import { createNamespace, type TestNamespace } from './temporal.ts';

/** One API and two workers, each a process, on a database with a standby; all people are on the list Everybody. */
export interface ReplicatedPlatform {
  postgres: ReplicatedPostgres;
  api: ApiClient;
  /** Of the API. */
  url: string;
  /** How many mails of each subject came to each address: `Hello ann@example.org`. */
  mails: Map<string, number>;
  workers: Child[];
  temporal: TestNamespace['client'];
}

/** @param settings over those of a test: a short lease, a short wait for commits */
export async function replicatedPlatform(people: number, settings: Record<string, string> = {}): Promise<ReplicatedPlatform> {
  const mails = new Map<string, number>();
  const sink = await startSmtpSink({
    onMail({ to, content }) {
      const key = `${/^Subject: (.*)\r$/m.exec(content.toString('latin1'))?.[1]} ${to[0]}`;
      mails.set(key, (mails.get(key) ?? 0) + 1);
    },
  });
  atEnd(() => sink.close());
  const postgres = await ReplicatedPostgres.start(dataFolder());
  atEnd(() => postgres.stop());
  const { address, namespace, client: temporal } = await createNamespace();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...process.env,
    PORT: String(port),
    BASE_URL: url,
    DATA_DIR: dataFolder(),
    DATABASE_URL: postgres.url,
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    SMTP_URL: sink.url,
    SMTP_CONNECTIONS: '8',
    SEND_LEASE_SECONDS: '3',
    COMMIT_SECONDS: '3',
    ...settings,
  };
  const logFolder = dataFolder();
  await runProgram('migrate', { logFolder, env });
  const server = await startApiProcess({ logFolder, env }, url);
  const workers = await Promise.all([1, 2].map((n) => startWorkerProcess({ logFolder: join(logFolder, `worker-${n}`), env }, n)));
  atEnd(() => Promise.all([server, ...workers].map((part) => part.stop())));
  const api = new ApiClient(url, 'admin', 'admin-password');
  await api.write('POST', '/rest/v1/list/', { name: 'Everybody' });
  await loadCrowd(postgres.url, people, 1, ['CA'], () => {});
  return { postgres, api, url, mails, workers, temporal };
}

/** A mailing to everybody, its set built. @returns its path */
export async function readyMailing(api: ApiClient, more: object): Promise<string> {
  const mailing = await api.write('POST', '/rest/v1/mailer/', {
    subjects: ['Hello'],
    html: '<p>Hello</p>',
    fromline: 'news@example.org',
    includes: { lists: ['Everybody'] },
    ...more,
  });
  const path = new URL(mailing).pathname;
  await api.poll(new URL(await api.write('POST', `${path}rebuild/`)).pathname, 100);
  return path;
}
