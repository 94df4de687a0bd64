import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../../support/api.ts';
import { type DocumentedCall, documented } from '../../support/documented.ts';
import { idIn, makeReady, setMailing } from '../../support/mailings.ts';
import { insertPeople } from '../../support/people.ts';
import { become } from '../../support/sending.ts';

describe('the API document of the mailer', () => {
  let api: TestApi;
  let call: DocumentedCall;
  before(async () => {
    api = await startApi();
    call = await documented(api);
    await api.create('list', { name: 'News' });
    await insertPeople(api.pool, [{ id: 1, email: 'one@example.org', lists: [1], state: 'NY' }]);
  });
  after(() => api.close());

  const MAILING = '/rest/v1/mailer/{id}/';
  const relative = (location: unknown) => String(location).slice(api.env.BASE_URL.length);

  it('describes what POST and PATCH answer', async () => {
    const { headers } = await call('POST', '/rest/v1/mailer/', '/rest/v1/mailer/', {
      subjects: ['x'],
      includes: { states: ['NY'], has_donated: true, users: [1], lists: ['News'] },
    });
    const uri = relative(headers.location);
    await call('GET', MAILING, uri);
    await call('GET', '/rest/v1/mailer/', '/rest/v1/mailer/');
    await call('PATCH', MAILING, uri, { limit: 5, targeting_version: 1 });
    assert.equal((await call('PATCH', MAILING, uri, { limit: 6, targeting_version: 1 })).statusCode, 409);
    assert.equal((await call('PATCH', MAILING, uri, { limits: 6 })).statusCode, 400);
    assert.equal((await call('PATCH', MAILING, uri, { includes: { lists: ['Nosuch'] } })).statusCode, 400);
    assert.equal((await call('PATCH', MAILING, '/rest/v1/mailer/999999/', { limit: 6 })).statusCode, 404);
  });

  it('describes what the actions answer', async () => {
    const uri = await makeReady(api);
    const rebuild = await call('POST', `${MAILING}rebuild/`, `${uri}rebuild/`);
    await call('GET', `${MAILING}rebuild/status/{job}/`, relative(rebuild.headers.location));
    await call('GET', `${MAILING}rebuild/status/{job}/`, `${uri}rebuild/status/999999/`);
    await call('GET', `${MAILING}status/`, `${uri}status/`);
    const ready = await makeReady(api);
    const proofs = await call('POST', `${MAILING}proofs/`, `${ready}proofs/`, { proofs: 1, reviewers: ['a@example.org'] });
    await call('GET', `${MAILING}proofs/status/{job}/`, relative(proofs.headers.location));
    await call('POST', `${MAILING}proofs/`, `${ready}proofs/`, {});
    await call('POST', `${MAILING}copy/`, `${ready}copy/`, { targeting: false });
    await call('POST', `${MAILING}queue/`, `${ready}queue/`);
    await call('POST', `${MAILING}queue/`, `${ready}queue/`);
    await call('POST', `${MAILING}stop/`, `${ready}stop/`);
    for (const action of ['rebuild', 'proofs', 'queue', 'stop', 'copy']) {
      assert.equal(
        (await call('POST', `${MAILING}${action}/`, `/rest/v1/mailer/999999/${action}/`, action === 'proofs' ? { proofs: 1 } : {}))
          .statusCode,
        404,
      );
    }
  });

  it('describes the documents of a mailing in every status', async () => {
    const uri = await makeReady(api);
    await become(api.pool, idIn(uri), [{ position: 1, state: 5 }]);
    for (const status of [
      'draft',
      'model',
      'scheduled',
      'queued',
      'rebuilding_at_send',
      'sending',
      'stopped',
      'died',
      'completed',
      'recurring',
    ]) {
      await setMailing(api, uri, { status, errors: status === 'died' ? '["why"]' : null, started_at: new Date(), queued_by_id: 1 });
      await call('GET', `${MAILING}status/`, `${uri}status/`);
      await call('GET', `${MAILING}progress/`, `${uri}progress/`);
    }
    await call('GET', `${MAILING}results/`, `${uri}results/`);
    for (const list of ['uncertain', 'failed', 'skipped']) {
      await call('GET', `${MAILING}${list}/`, `${uri}${list}/`);
      await call('GET', `${MAILING}${list}/`, `${uri}${list}/?_limit=x`);
    }
    for (const document of ['status', 'progress', 'results', 'uncertain']) {
      await call('GET', `${MAILING}${document}/`, `/rest/v1/mailer/999999/${document}/`);
    }
  });
});
