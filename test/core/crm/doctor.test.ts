import { deepEqual, equal, match } from 'node:assert/strict';
import type pg from 'pg';
import { readEnv } from '../../../config/env.ts';
import { CrmAway, CrmBusy, CrmRefused } from '../../../core/crm/crm.ts';
import { openCrm } from '../../../core/crm/open.ts';
import { CrmPace } from '../../../core/crm/pace.ts';
import { integrateOne } from '../../../core/crm/partner/integrate.ts';
import { PARTNER_SOURCES } from '../../../core/crm/partner/sources.ts';
import { syncMapping } from '../../../core/crm/sync-mapping.ts';
import { lookAtDatabase } from '../../../core/health/database.ts';
import { createPool } from '../../../db/pool.ts';
import { createDatabase } from '../../support/database.ts';
import { ScriptedRelay } from '../../support/sending.ts';

describe('what doctor says of the CRM', () => {
  let url: string;
  let pool: pg.Pool;

  before(async () => {
    url = await createDatabase();
    pool = createPool(url, 5);
  });
  after(() => pool.end());

  const env = (more: Record<string, string> = {}) =>
    readEnv({ DATABASE_URL: url, NODE_ENV: 'test', CRM_KIND: 'http', CRM_URL: 'http://127.0.0.1:1', ...more });
  const found = async (more: Record<string, string> = {}) =>
    (await lookAtDatabase(url, env(more))).filter(({ part }) => part === 'crm' || part === 'partner').map(({ says }) => says);

  /** One try at a CRM that fails so. */
  async function tryAt(mapId: number, error: Error) {
    const log = { info() {}, warn() {}, error() {} };
    const deps = { env: env(), pool, log, relay: new ScriptedRelay(1), shuttingDown: new AbortController().signal };
    const crm = { ...openCrm(env(), 'crm')!, findByEmail: () => Promise.reject(error) };
    await syncMapping({ deps, crm, pace: new CrmPace(deps, 'crm', 1000) }, mapId);
  }

  it('is why syncs wait, and until when it asked for a pause, which ends as docs/crm.md says', async () => {
    const user = (await pool.query(`insert into core_user (email) values ('ada@example.org') returning id`)).rows[0].id;
    const map = (await pool.query('insert into core_crmmap (user_id) values ($1) returning id', [user])).rows[0].id;
    deepEqual(await found(), []);
    await tryAt(map, new CrmAway('it answered 401'));
    deepEqual(await found(), [], 'it may be back in a moment');
    await pool.query(`update core_crmmap set requested_at = '2026-11-29T01:02:03Z'`);
    deepEqual(await found(), ['1 sync waits, the oldest since 2026-11-29T01:02:03 UTC: it answered 401']);
    deepEqual(await found({ CRM_KIND: 'none' }), []);

    await tryAt(map, new CrmBusy('it asks for fewer requests (429)', 86_400_000));
    const [waits, pause] = await found();
    match(waits!, /it asks for fewer requests \(429\)$/);
    match(pause!, /^it asked for a pause \(429\) until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d UTC$/);
    await pool.query(`delete from send_pace where key = 'crm'`);
    equal((await found()).length, 1);
    await tryAt(map, new CrmAway('it answered 500'));
    deepEqual(await found(), ['1 sync waits, the oldest since 2026-11-29T01:02:03 UTC: it answered 500']);
  });

  it('is what could not be made at the partner system, and nobody’s name', async () => {
    const PARTNER = { PARTNER_KIND: 'http', PARTNER_URL: 'http://127.0.0.1:1', CRM_KIND: 'none' };
    const user = (await pool.query(`insert into core_user (email) values ('bob@example.org') returning id`)).rows[0].id;
    const log = { info() {}, warn() {}, error() {} };
    const deps = { env: env(PARTNER), pool, log, relay: new ScriptedRelay(1), shuttingDown: new AbortController().signal };
    const refuse = () => Promise.reject(new CrmRefused('bob@example.org is taken'));
    const partner = { ...openCrm(env(PARTNER), 'partner')!, findByRef: async () => null, createContact: refuse };
    equal(await integrateOne({ deps, partner, pace: new CrmPace(deps, 'partner', 1000) }, PARTNER_SOURCES[0]!, user), 'refused');
    deepEqual(await found(PARTNER), [], 'it may be in a moment');
    await pool.query(`update partner_intent set created_at = '2026-11-29T01:02:03Z'`);
    deepEqual(await found(PARTNER), ['1 user could not be made there, the first tried at 2026-11-29T01:02:03 UTC']);
    deepEqual(await found({ ...PARTNER, PARTNER_KIND: 'none', PARTNER_URL: '' }), []);
  });
});
