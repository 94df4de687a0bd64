import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../../support/api.ts';
import { replay } from '../../support/donation-replay/run.ts';

describe('generated pushes', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('come to what a plain reference says, to the cent', async () => {
    const { pushed, refused, orders, profiles } = await replay(api, 20_261_121, 400);
    assert.equal(pushed, 400);
    assert.ok(refused > 20 && orders > 200 && profiles > 20, JSON.stringify({ refused, orders, profiles }));
  });
});
