import { deepEqual, equal } from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createSendActivities } from '../../activities/sending/activities.ts';
import { readEnv } from '../../config/env.ts';
import { markDied } from '../../core/mailings/transitions.ts';
import { createPool } from '../../db/pool.ts';
import { sqlOn } from '../../db/sql.ts';
import { NotFoundError } from '../../domain/errors.ts';
import { RecordedWorkflows, startApi } from '../support/api.ts';
import { createDatabase } from '../support/database.ts';
import { inActivity } from '../support/in-activity.ts';
import { queueMailing } from '../support/sending.ts';

/** Of whole restored databases, before anything runs. */
const BESIDE = ['core/mailings/transitions.ts', 'entities/backup/hold-sends.ts', 'core/backup/hold-sends.ts'];

const requeue = (pool: pg.Pool, id: number) =>
  pool.query(`update core_mailing set status = 'queued', queued_at = clock_timestamp(), stop_requested = false where id = $1`, [id]);
const statusOf = async (pool: pg.Pool, id: number) =>
  (await pool.query('select status from core_mailing where id = $1', [id])).rows[0].status;

describe('the status of a mailing', function () {
  this.timeout(60_000);

  it('is written in one place only', () => {
    const root = join(import.meta.dirname, '../..');
    const files = globSync('{activities,api,cli,console,core,db,domain,entities,mail,workflows}/**/*.ts', { cwd: root });
    const writers = files.filter((file) => {
      const statements = readFileSync(join(root, file), 'utf8').matchAll(/update core_mailing\b(?!\w)(?<set>.*?)(?:\bwhere\b|`|'\))/gis);
      return [...statements].some(({ groups }) => /(?<![\w.])status\s*=/.test(groups!['set']!.replace(/case when.*?end/gis, '')));
    });
    deepEqual(
      writers.filter((file) => !BESIDE.includes(file)),
      [],
    );
    equal(writers.includes('core/mailings/transitions.ts'), true);
  });

  describe('of a mailing queued again', () => {
    let pool: pg.Pool;
    let id: number;
    let earlier: string;

    before(async () => {
      pool = createPool(await createDatabase(), 5);
    });
    after(() => pool.end());
    beforeEach(async () => {
      id = await queueMailing(pool, 2);
      await requeue(pool, id);
      earlier = (await pool.query('select queued_at::text as at from core_mailing where id = $1', [id])).rows[0].at;
      await requeue(pool, id);
    });

    const activities = () => inActivity(createSendActivities({ pool, env: readEnv({}) } as ActivityDeps));

    it('is not put back to draft by a late returnToDraft of the earlier queueing', async () => {
      const { returnToDraft, openSend } = activities();
      await returnToDraft({ mailingId: id, reason: 'missed', queuedAt: earlier });
      equal(await statusOf(pool, id), 'queued');
      await returnToDraft({ mailingId: id, reason: 'missed', queuedAt: (await openSend(id)).queuedAt! });
      equal(await statusOf(pool, id), 'draft');
    });

    it('is not moved to rebuilding by a late markRebuilding of it', async () => {
      const { markRebuilding, openSend } = activities();
      equal(await markRebuilding(id, earlier), false);
      equal(await statusOf(pool, id), 'queued');
      equal(await markRebuilding(id, (await openSend(id)).queuedAt!), true);
    });

    it('is not marked died by a sweep that looked before', async () => {
      await pool.query(`update core_mailing set status = 'sending', updated_at = now() - interval '1 hour' where id = $1`, [id]);
      const late = { status: 'sending', reason: 'its run was terminated', unchangedFor: '20 seconds' } as const;
      await markDied(sqlOn(pool), id, { ...late, queuedAt: earlier });
      equal(await statusOf(pool, id), 'sending');
    });
  });

  it('is not put back to draft by a late stop of the earlier queueing, which found no run', async () => {
    class LateGateway extends RecordedWorkflows {
      late: () => Promise<unknown> = async () => {};
      override async signal(): Promise<void> {
        await this.late();
        throw new NotFoundError();
      }
    }
    const gateway = new LateGateway();
    const api = await startApi({}, undefined, gateway);
    const id = await queueMailing(api.pool, 2);
    await requeue(api.pool, id);
    gateway.late = () => requeue(api.pool, id);
    equal((await api.call('POST', `/rest/v1/mailer/${id}/stop/`)).statusCode, 202);
    equal(await statusOf(api.pool, id), 'queued');
    gateway.late = async () => {};
    equal((await api.call('POST', `/rest/v1/mailer/${id}/stop/`)).statusCode, 202);
    equal(await statusOf(api.pool, id), 'draft');
    await api.close();
  });
});
