import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporalWorkflows } from '../../../api/plugins/workflows.ts';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { type SmtpSink, startSmtpSink } from '../../../embedded/smtp-sink.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { READY } from '../../support/mailings.ts';
import { insertPeople } from '../../support/people.ts';
import { createNamespace } from '../../support/temporal.ts';
import { runWorker } from '../../support/worker.ts';

const PEOPLE = 120;

describe('a mailing whose targeting is changed while it is under way', () => {
  let api: TestApi;
  let sink: SmtpSink;

  before(async () => {
    const place = await createNamespace();
    sink = await startSmtpSink({ keep: 1000 });
    api = await startApi({}, undefined, temporalWorkflows(place.client));
    await ensureReportRole(api.pool, api.env);
    await api.create('list', { name: 'News' });
    await insertPeople(
      api.pool,
      Array.from({ length: PEOPLE }, (_, index) => ({ id: index + 1, email: `p${index + 1}@example.org`, lists: [1] })),
    );
    // Queued for a while: long enough to change it meanwhile.
    await runWorker(place, { DATABASE_URL: api.databaseUrl, SMTP_URL: sink.url, SEND_UNDO_SECONDS: '4', SEND_SHARD_SIZE: '30' });
  });
  after(async () => {
    await api?.close();
    await sink?.close();
  });
  beforeEach(() => sink.reset());

  async function post(url: string, code = 201): Promise<string> {
    const answer = await api.call('POST', url);
    equal(answer.statusCode, code, answer.body);
    return String(answer.headers.location).slice(api.env.BASE_URL.length);
  }

  // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
  async function watch(url: string, done: (document: any) => boolean = ({ finished }) => finished): Promise<any> {
    for (let waited = 0; waited < 100_000; waited += 50) {
      const document = await api.read(url);
      if (done(document)) return document;
      await sleep(50);
    }
    throw new Error(`${url} never got there: ${JSON.stringify(await api.read(url))}`);
  }

  const rebuild = async (uri: string) => watch(await post(`${uri}rebuild/`));
  const change = async (uri: string, body: object) => equal((await api.call('PATCH', uri, body)).statusCode, 202);
  const mailed = () =>
    sink.inbox
      .list()
      .flatMap(({ to }) => to)
      .sort();
  const standing = async (uri: string) => {
    const { status, query_status, targeting_version, targeting_version_saved } = await api.read(uri);
    return [status, query_status, targeting_version, targeting_version_saved];
  };

  it('is sent to nobody, and says why, where it is queued with a set that is out of date; then to those meant last', async () => {
    const uri = await api.create('mailer', { ...READY, includes: { users: [1, 2, 3] } });
    await rebuild(uri);
    const at = await post(`${uri}queue/`);
    await change(uri, { includes: { users: [4, 5] } });
    deepEqual(await standing(uri), ['queued', 'invalid', 2, 1]);
    const ended = await watch(at);
    equal(ended.status, 'died');
    match(String(ended.errors), /targeting was changed after the users were saved: rebuild, and queue again/);
    deepEqual(mailed(), []);
    equal((await rebuild(uri)).results, 2);
    equal((await watch(await post(`${uri}queue/`))).status, 'completed');
    deepEqual(mailed(), ['p4@example.org', 'p5@example.org']);
  });

  it('is sent to those meant last where it is queued to be built anew', async () => {
    const uri = await api.create('mailer', { ...READY, includes: { users: [1, 2, 3] }, rebuild_query_at_send: true });
    await rebuild(uri);
    const at = await post(`${uri}queue/`);
    await change(uri, { includes: { users: [3, 4] }, limit: 1 });
    deepEqual(await standing(uri), ['queued', 'invalid', 2, 1]);
    equal((await watch(at)).status, 'completed');
    deepEqual(mailed(), ['p3@example.org']);
    deepEqual(await standing(uri), ['completed', 'saved', 2, 2]);
  });

  it('is sent to nobody, and says why, where it is queued to be built anew and left with a radius of nothing', async () => {
    const includes = { zips: ['10001'], zip_radius: 5 };
    const uri = await api.create('mailer', { ...READY, includes, rebuild_query_at_send: true });
    const at = await post(`${uri}queue/`);
    await change(uri, { includes: { zips: [] } });
    const ended = await watch(at);
    equal(ended.status, 'died');
    deepEqual(ended.errors, ['The rebuild before sending failed.', 'includes: zip_radius says nothing without zips.']);
    deepEqual(mailed(), []);
    equal((await api.read(uri)).query_status, 'failed');
  });

  it('is sent to nobody, and says why, where it is changed while its set is built anew', async () => {
    const uri = await api.create('mailer', { ...READY, includes: { users: [1, 2, 3] }, rebuild_query_at_send: true });
    // The build has read its targeting by then, and cannot write its set.
    const holder = await api.pool.connect();
    await holder.query('begin');
    await holder.query('lock table send_set in exclusive mode');
    const at = await post(`${uri}queue/`);
    await watch(uri, ({ status, query_status }) => status === 'rebuilding_at_send' && query_status === 'rebuilding');
    await change(uri, { excludes: { users: [1] } });
    deepEqual(await standing(uri), ['rebuilding_at_send', 'rebuilding', 2, null]);
    await holder.query('rollback');
    holder.release();
    const ended = await watch(at);
    equal(ended.status, 'died');
    match(String(ended.errors), /targeting was changed/);
    deepEqual(mailed(), []);
    deepEqual(await standing(uri), ['died', 'invalid', 2, 1]);
  });

  it('goes on to its audience at its rate while it is being sent, and asks for a rebuild once it was stopped', async () => {
    const uri = await api.create('mailer', { ...READY, mails_per_second: 10 });
    await rebuild(uri);
    const at = await post(`${uri}queue/`);
    await watch(at, ({ progress }) => progress > 5);
    const changed = Date.now();
    await change(uri, { includes: { users: [PEOPLE] }, mails_per_second: 0.1 });
    deepEqual(await standing(uri), ['sending', 'invalid', 2, 1]);
    deepEqual((await api.call('POST', `${uri}rebuild/`)).json(), {
      errors: { status: ['The users of a mailing that is sending cannot be rebuilt.'] },
    });
    await watch(at, ({ progress }) => progress > 60);
    // At the new rate it would take nine minutes.
    ok(Date.now() - changed < 100_000, `${Date.now() - changed} ms`);
    await post(`${uri}stop/`, 202);
    equal((await watch(at)).status, 'stopped');
    deepEqual(Object.keys((await api.call('POST', `${uri}queue/`)).json().errors), ['query_status']);
    equal(new Set(mailed()).size, mailed().length);
  });

  it('is completed with its audience where it was changed while it was being sent', async () => {
    const uri = await api.create('mailer', {
      ...READY,
      includes: { users: Array.from({ length: 60 }, (_, n) => n + 1) },
      mails_per_second: 6,
    });
    await rebuild(uri);
    const at = await post(`${uri}queue/`);
    await watch(at, ({ progress }) => progress > 0);
    await change(uri, { includes: { users: [100] }, limit: 1 });
    const { status, progress, expected_send_count } = await watch(at);
    deepEqual([status, progress, expected_send_count], ['completed', 60, 60]);
    deepEqual(new Set(mailed()), new Set(Array.from({ length: 60 }, (_, n) => `p${n + 1}@example.org`)));
    deepEqual(await standing(uri), ['completed', 'invalid', 2, 1]);
  });
});
