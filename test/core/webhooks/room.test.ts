import { deepEqual, equal } from 'node:assert/strict';
import { MOST_WEBHOOKS } from '../../../core/webhooks/room.ts';
import { startApi, type TestApi } from '../../support/api.ts';

describe('webhooks there may be', () => {
  let api: TestApi;
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  before(async () => {
    api = await startApi();
    await api.pool.query(
      `insert into core_webhook (url, events, secret) select 'https://example.org/' || n, '["action"]', 'sealed' from generate_series(1, $1::int) n`,
      [MOST_WEBHOOKS - 1],
    );
  });
  after(() => api.close());

  const make = () => api.call('POST', '/rest/v1/webhook/', { url: 'https://example.org/hook', events: ['action'], secret });

  it('are so many that each action is written soon, also where several are made at once', async () => {
    const answers = await Promise.all([make(), make(), make()]);
    deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 400, 400]);
    const refused = answers.find(({ statusCode }) => statusCode === 400)!;
    deepEqual(Object.keys(refused.json().webhook), ['url']);
    equal((await api.read('/rest/v1/webhook/')).meta.total_count, MOST_WEBHOOKS);
  });

  it('are changed as before, and make room for others when they go', async () => {
    const [hook] = (await api.read('/rest/v1/webhook/')).objects;
    equal((await api.call('PATCH', hook.resource_uri, { active: false })).statusCode, 202);
    equal((await api.call('DELETE', hook.resource_uri)).statusCode, 204);
    equal((await make()).statusCode, 201);
  });
});
