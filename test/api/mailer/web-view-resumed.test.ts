import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { akid } from '../../../domain/akid.ts';
import { erase } from '../../support/erasing.ts';
import { atOnce, idIn, READY } from '../../support/mailings.ts';
import { become } from '../../support/sending.ts';
import { type WholePlatform, wholePlatform } from '../../support/whole-platform.ts';

const EMAILS = Array.from({ length: 8 }, (_, index) => `p${index + 1}@example.org`);

describe('the mails on the web of a mailing that was stopped, changed and went on', () => {
  let platform: WholePlatform;

  before(async () => {
    platform = await wholePlatform({}, EMAILS);
  });
  after(() => platform?.close());
  beforeEach(() => platform.sink.reset());

  /** Sends some of a mailing, changes it, and sends more, until all changes have been made. */
  async function sendInParts(mailing: object, changes: object[]): Promise<string> {
    const { api, sink, post, watch, ready } = platform;
    // Four seconds each, so that a machine that stands still for some leaves somebody for each version.
    const uri = await ready({ ...READY, web_viewable: true, mails_per_second: 0.25, ...mailing });
    for (const change of changes) {
      const before = sink.counts().received;
      const at = await post(`${uri}queue/`);
      await watch(at, () => sink.counts().received > before);
      await post(`${uri}stop/`, undefined, 202);
      assert.equal((await watch(at)).status, 'stopped');
      // Times in the record are whole seconds.
      await sleep(1000);
      assert.equal((await api.call('PATCH', uri, change)).statusCode, 202);
    }
    await atOnce(api, uri);
    const done = await watch(await post(`${uri}queue/`));
    assert.deepEqual([done.status, done.progress], ['completed', EMAILS.length]);
    return uri;
  }

  const view = async (uri: string, user: number) => {
    const { api } = platform;
    return (await api.call('GET', `/view/${akid(api.env.SECRET_KEY, idIn(uri), user)}`, undefined, { authorization: '' })).body;
  };
  /** What somebody was sent. */
  const version = (text: string) => /Version (\w+)/.exec(text)?.[1];

  it('say to each what their mail said', async () => {
    const uri = await sendInParts({ html: '<p>Version one</p>' }, [
      { html: '<p>Version two</p>' },
      { notes: 'seen' },
      { html: '<p>Version three</p>' },
    ]);
    const sent = await Promise.all(EMAILS.map(async (email) => version(platform.sink.inbox.list(email)[0]!.content.toString())));
    assert.deepEqual(new Set(sent), new Set(['one', 'two', 'three']));
    assert.deepEqual(await Promise.all(EMAILS.map(async (_, index) => version(await view(uri, index + 1)))), sent);
  });

  it('say what their mail said also to those whom an operator takes for reached, long after', async () => {
    const { api, sink } = platform;
    const uri = await sendInParts({ html: '<p>Version one</p>' }, [{ html: '<p>Version two</p>' }]);
    const sent = await Promise.all(EMAILS.map(async (email) => version(sink.inbox.list(email)[0]!.content.toString())));
    const first = sent.indexOf('one') + 1;
    const { rows } = await api.pool.query('select position, changed_at as at from send_record where mailing_id = $1 and user_id = $2', [
      idIn(uri),
      first,
    ]);
    // Its relay was lost before it could answer.
    await become(api.pool, idIn(uri), [{ position: rows[0].position, state: 5, at: rows[0].at, detail: 'lost' }], { recorded: true });
    await api.pool.query('update send_shard set accepted = accepted - 1, uncertain = 1 where mailing_id = $1 and from_position = 1', [
      idIn(uri),
    ]);
    assert.equal(version(await view(uri, first)), 'one');
    assert.deepEqual((await api.call('POST', `${uri}uncertain/accept/`)).json(), { settled: 1 });
    assert.equal(version(await view(uri, first)), 'one');
  });

  it('name nobody who was erased since, in what was sent before either', async () => {
    const { api } = platform;
    await api.create('queryreport', { name: 'Last', short_name: 'last', sql: "select 'p8@example.org said hi' as said" });
    const html = '{% report "last" %}';
    const uri = await sendInParts({ html: `<p>Version one ${html}</p>` }, [{ html: `<p>Version two ${html}</p>` }]);
    assert.match(await view(uri, 1), /p8@example\.org said hi/);
    await erase(api.pool, 8);
    assert.match(await view(uri, 1), /Version one … said hi/);
    const { rows } = await api.pool.query(`select count(*)::int as many from (
      select content from send_run union all select content from send_earlier_run) r where content::text like '%p8@example.org%'`);
    assert.equal(rows[0].many, 0);
  });
});
