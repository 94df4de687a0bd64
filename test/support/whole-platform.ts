import { setTimeout as sleep } from 'node:timers/promises';
import { temporalWorkflows } from '../../api/plugins/workflows.ts';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { type SmtpSink, startSmtpSink } from '../../embedded/smtp-sink.ts';
import { startApi, type TestApi } from './api.ts';
import { insertPeople } from './people.ts';
import { createNamespace, type TestNamespace } from './temporal.ts';
import { runWorker } from './worker.ts';

/** API, worker and relay on a database and a namespace of their own, with people on one list. */
export interface WholePlatform {
  api: TestApi;
  sink: SmtpSink;
  place: TestNamespace;
  /** POST that must answer `code`. @returns the relative Location */
  post(url: string, body?: unknown, code?: number): Promise<string>;
  /** Reads a document until it is done. */
  // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
  watch(url: string, done?: (document: any) => boolean): Promise<any>;
  /** A mailing with its set built. @returns its URI */
  ready(mailing: object): Promise<string>;
  close(): Promise<void>;
}

/**
 * @param settings over the defaults, of API and worker alike
 * @param emails of the people
 */
export async function wholePlatform(settings: Record<string, string>, emails: readonly string[]): Promise<WholePlatform> {
  const place = await createNamespace();
  const sink = await startSmtpSink({ keep: 1000 });
  const api = await startApi(settings, undefined, temporalWorkflows(place.client));
  await ensureReportRole(api.pool, api.env);
  await api.create('list', { name: 'News' });
  await insertPeople(
    api.pool,
    emails.map((email, index) => ({ id: index + 1, email, lists: [1] })),
  );
  const worker = await runWorker(place, {
    BASE_URL: api.env.BASE_URL,
    DATABASE_URL: api.databaseUrl,
    SMTP_URL: sink.url,
    SMTP_CONNECTIONS: '4',
    SEND_LEASE_SECONDS: '3',
    ...settings,
  });

  const platform: WholePlatform = {
    api,
    sink,
    place,
    async post(url, body, code = 201) {
      const answer = await api.call('POST', url, body);
      if (answer.statusCode !== code) throw new Error(`POST ${url} answered ${answer.statusCode}: ${answer.body}`);
      return String(answer.headers.location).slice(api.env.BASE_URL.length);
    },
    async watch(url, done = ({ finished }) => finished) {
      for (let waited = 0; waited < 200_000; waited += 50) {
        const document = await api.read(url);
        if (done(document)) return document;
        await sleep(50);
      }
      throw new Error(`${url} never got there: ${JSON.stringify(await api.read(url))}`);
    },
    async ready(mailing) {
      const uri = await api.create('mailer', mailing);
      await platform.watch(await platform.post(`${uri}rebuild/`));
      return uri;
    },
    async close() {
      await worker.stop();
      await api.close();
      await sink.close();
    },
  };
  return platform;
}
