import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { workflowBundle } from '../../activities/workflow-bundle.ts';
import { codecServer } from '../../api/codec-server.ts';
import { temporalWorkflows } from '../../api/plugins/workflows.ts';
import { converting, payloadCodec } from '../../config/payload-codec.ts';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { startSmtpSink } from '../../embedded/smtp-sink.ts';
import { workflowId } from '../../workflows/contracts.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { atEnd } from '../support/endings.ts';
import { idIn, READY } from '../support/mailings.ts';
import { insertPeople } from '../support/people.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

const key = () => randomBytes(32).toString('base64');
const [first, second] = [`first:${key()}`, `second:${key()}`];

describe('what Temporal keeps, encrypted', () => {
  let place: TestNamespace;
  let client: Client;
  let api: TestApi;
  let mailing: string;
  let report: string;

  before(async () => {
    place = await createNamespace();
    client = new Client({ connection: place.client.connection, namespace: place.namespace, ...converting({ PAYLOAD_KEYS: first }) });
    const sink = await startSmtpSink();
    atEnd(() => sink.close());
    api = await startApi({}, undefined, temporalWorkflows(client));
    await ensureReportRole(api.pool, api.env);
    await api.create('list', { name: 'News' });
    await insertPeople(api.pool, [{ id: 1, email: 'ann@example.org', lists: [1] }]);
    await runWorker({ ...place, client }, { DATABASE_URL: api.databaseUrl, SMTP_URL: sink.url, PAYLOAD_KEYS: first });

    mailing = await api.create('mailer', READY);
    await until(await asked(`${mailing}rebuild/`));
    const sent = await until(await asked(`${mailing}queue/`));
    assert.deepEqual([sent.status, sent.progress], ['completed', 1]);
    await api.create('queryreport', { name: 'Divides', short_name: 'divides', sql: `select 1 / (count(*) - 1) from core_user` });
    const task = await until(await asked('/rest/v1/report/background/divides/'));
    assert.match(task.errors[0], /division by zero/);
    report = workflowId.runReport(task.id);
  });
  after(() => api.close());

  async function asked(uri: string): Promise<string> {
    const answer = await api.call('POST', uri);
    assert.equal(answer.statusCode, 201, answer.body);
    return String(answer.headers.location).slice(api.env.BASE_URL.length);
  }

  // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
  async function until(uri: string): Promise<any> {
    for (;;) {
      const document = await api.read(uri);
      if (document.finished) return document;
    }
  }

  const run = () => client.workflow.getHandle(workflowId.sendMailing(idIn(mailing)));
  /** All that is kept of a run, every byte of it as text. */
  const kept = async (id: string, from = client) => {
    const { history } = await from.workflowService.getWorkflowExecutionHistory({
      namespace: place.namespace,
      execution: { workflowId: id },
    });
    // By which the list of the UI is searched, ids and kinds of jobs; and the names of patches.
    const plain = new Set(['searchAttributes', 'indexedFields', 'markerRecordedEventAttributes']);
    return JSON.stringify(history, (name, value) => {
      if (plain.has(name)) return undefined;
      // Bytes stand in base64.
      return name === 'data' || name === 'encoding' ? Buffer.from(value, 'base64').toString('latin1') : value;
    });
  };

  it('cannot be read: neither inputs nor results nor failures', async () => {
    for (const id of [workflowId.sendMailing(idIn(mailing)), report]) {
      const text = await kept(id);
      assert.match(text, /binary\/encrypted/);
      for (const word of ['mailingId', 'jobId', 'json/plain', 'accepted', 'division by zero'])
        assert.ok(!text.includes(word), `${word} stands in ${id}`);
    }
  });

  it('is replayed, and read, when another key encrypts by now', async () => {
    const history = await run().fetchHistory();
    const bundle = await workflowBundle([], true);
    const replayedWith = (keys: string) =>
      Worker.runReplayHistory({ workflowBundle: bundle, ...converting({ PAYLOAD_KEYS: keys }) }, history);
    await replayedWith(`${second} ${first}`);
    const rotated = new Client({
      connection: place.client.connection,
      namespace: place.namespace,
      ...converting({ PAYLOAD_KEYS: `${second} ${first}` }),
    });
    assert.equal(await rotated.workflow.getHandle(workflowId.sendMailing(idIn(mailing))).result(), 'completed');
  });

  it('is decrypted for the Temporal UI, and for pages of nobody else', async () => {
    const codec = payloadCodec({ PAYLOAD_KEYS: `${second} ${first}` })!;
    const server = codecServer(codec, 'https://temporal.example.org/ui');
    const json = { encoding: Buffer.from('json/plain').toString('base64') };
    const payloads = [{ metadata: json, data: Buffer.from('{"mailingId":7}').toString('base64') }];
    const origin = 'https://temporal.example.org';
    const ask = (url: string, body: object, headers = {}) => server.inject({ method: 'POST', url, payload: body, headers });
    const encoded = (await ask('/encode', { payloads })).json();
    assert.equal(Buffer.from(encoded.payloads[0].metadata['encryption-key-id'], 'base64').toString(), 'second');
    const decoded = await ask('/decode', encoded, { origin });
    assert.deepEqual(decoded.json(), { payloads });
    assert.equal(decoded.headers['access-control-allow-origin'], origin);
    // A page whose name was made to lead to this machine is of the same origin to a browser.
    for (const elsewhere of ['https://elsewhere.example', 'http://elsewhere.example:8081', 'null']) {
      const refused = await ask('/decode', encoded, { origin: elsewhere, host: 'elsewhere.example:8081' });
      assert.deepEqual([refused.statusCode, refused.body, refused.headers['access-control-allow-origin']], [403, '', undefined]);
    }
    assert.equal((await server.inject({ method: 'OPTIONS', url: '/decode', headers: { origin } })).statusCode, 204);
    const other = codecServer(payloadCodec({ PAYLOAD_KEYS: first })!, undefined);
    const unknown = await other.inject({ method: 'POST', url: '/decode', payload: encoded });
    assert.deepEqual(
      [unknown.statusCode, unknown.json().message],
      [400, 'PAYLOAD_KEYS has no key second, with which something was encrypted'],
    );
    encoded.payloads[0].data = Buffer.alloc(60).toString('base64');
    assert.equal((await ask('/decode', encoded)).statusCode, 400);
    await server.close();
  });

  it('says what is wrong with a key', () => {
    assert.throws(() => payloadCodec({ PAYLOAD_KEYS: 'a:c2hvcnQ=' }), /the key a has to be 32 bytes/);
    assert.throws(() => payloadCodec({ PAYLOAD_KEYS: `${first} ${first}` }), /names first twice/);
  });
});
