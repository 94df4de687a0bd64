import { deepEqual, equal } from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createSendActivities } from '../../activities/sending/activities.ts';
import { readEnv } from '../../config/env.ts';
import { askToStop, endSend, endUnstarted, markDied } from '../../core/mailings/transitions.ts';
import { createPool } from '../../db/pool.ts';
import { sqlOn } from '../../db/sql.ts';
import { NotFoundError } from '../../domain/errors.ts';
import { RecordedWorkflows, startApi } from '../support/api.ts';
import { createDatabase } from '../support/database.ts';
import { inActivity } from '../support/in-activity.ts';
import { queueMailing } from '../support/sending.ts';

/** Of whole restored databases, before anything runs. */
const BESIDE = ['core/backup/hold-sends.ts'];

/** Every column that says how far something is that a run works on, and the one file that writes it. */
const MACHINES = [
  { table: 'core_mailing', column: 'status', writer: 'core/mailings/transitions.ts' },
  { table: 'core_mailing', column: 'query_status', writer: 'core/targeting/rebuild-job.ts' },
  { table: 'core_mailingrebuild', column: 'finished', writer: 'core/targeting/rebuild-job.ts' },
  { table: 'core_mailingproof', column: 'finished', writer: 'core/mailings/proof-job.ts' },
  { table: 'core_usermerge', column: 'status', writer: 'core/people/user-job-status.ts' },
  { table: 'core_erasure', column: 'status', writer: 'core/people/user-job-status.ts' },
  { table: 'core_upload', column: 'status', writer: 'core/people/upload-status.ts' },
  { table: 'core_backgroundtask', column: 'status', writer: 'core/reports/report-task.ts' },
  { table: 'core_webhookdelivery', column: 'status', writer: 'core/webhooks/deliveries.ts' },
  { table: 'core_crmmap', column: 'status', writer: 'core/crm/mapping-status.ts' },
] as const;

interface Statement {
  file: string;
  /** The table, or the text of ours that stands for it. */
  table: string;
  set: string;
  rest: string;
}

/** Every update in the sources: what stands behind `set`, and what behind that, to the end of its text. */
function updates(): Statement[] {
  const root = join(import.meta.dirname, '../..');
  const files = globSync('{activities,api,cli,console,core,db,domain,entities,mail,workflows}/**/*.ts', { cwd: root });
  return files.flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    return [...source.matchAll(/update (?<table>\w+|\$\{\w+\})(?: \w+)? set\b/gi)].map(({ index, 0: begin, groups }) => {
      const inTemplate = source.slice(0, index).split('`').length % 2 === 0;
      const [text = ''] = source.slice(index + begin.length).split(inTemplate ? '`' : '\n');
      const [set = '', ...rest] = text.replace(/\bcase\b.*?\bend\b/gis, 'a case').split(/\b(?=where\b|from\b)/i);
      return { file, table: groups!['table']!, set, rest: rest.join('') };
    });
  });
}

const writes = ({ set }: Statement, column: string) => new RegExp(`(?<![\\w.])${column}\\s*=`).test(set);

const requeue = (pool: pg.Pool, id: number) =>
  pool.query(`update core_mailing set status = 'queued', queued_at = clock_timestamp(), stop_requested = false where id = $1`, [id]);
const statusOf = async (pool: pg.Pool, id: number) =>
  (await pool.query('select status from core_mailing where id = $1', [id])).rows[0].status;

describe('the status of a mailing', () => {
  it('is written in one place only, and so is that of every job', () => {
    const all = updates();
    for (const { table, column, writer } of MACHINES) {
      const writing = all.filter((each) => each.table === table && writes(each, column)).map(({ file }) => file);
      deepEqual(
        [...new Set(writing)].filter((file) => !BESIDE.includes(file)),
        [writer],
        `${table}.${column}`,
      );
    }
    // A table named by a variable may be any: only these do that, the first for merges and erasures, the other for mails to one person.
    const unnamed = all.filter(({ table, set }) => table.startsWith('$') && /(?<![\w.])(status|finished)\s*=/.test(set));
    deepEqual([...new Set(unnamed.map(({ file }) => file))].sort(), ['core/people/send-once.ts', 'core/people/user-job-status.ts']);
  });

  it('is written as text alone, where these statements are looked for', () => {
    const files = globSync('{activities,api,console,core}/**/*.ts', { cwd: join(import.meta.dirname, '../..') });
    const builds = (source: string) => MACHINES.some(({ table }) => source.includes(`updateTable('${table}`));
    deepEqual(
      files.filter((file) => builds(readFileSync(join(import.meta.dirname, '../..', file), 'utf8'))),
      [],
    );
  });

  it('is compared before it is set, and so is that of every job', () => {
    const unguarded = updates().filter(
      (each) =>
        MACHINES.some(({ table, column, writer }) => each.table === table && each.file === writer && writes(each, column)) &&
        !/status|finished|held_by|wanted > done|UNDER_WAY|AFFECTED/.test(each.rest),
    );
    deepEqual(unguarded, []);
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

    it('is not put back to draft when it was given another time since it was opened', async () => {
      await pool.query("update core_mailing set scheduled_for = now() - interval '1 day' where id = $1", [id]);
      const { returnToDraft, openSend } = activities();
      const { queuedAt, timing } = await openSend(id);
      await pool.query("update core_mailing set scheduled_for = now() + interval '1 day' where id = $1", [id]);
      await returnToDraft({ mailingId: id, reason: 'missed', queuedAt: queuedAt!, timing: timing! });
      equal(await statusOf(pool, id), 'queued');
      await returnToDraft({ mailingId: id, reason: 'missed', queuedAt: queuedAt!, timing: (await openSend(id)).timing! });
      equal(await statusOf(pool, id), 'draft');
    });

    it('is stopped, not a draft, where part of it was sent before its time was missed', async () => {
      await pool.query("update core_mailing set started_at = now() - interval '1 day', finished_at = null where id = $1", [id]);
      const { returnToDraft, openSend } = activities();
      await returnToDraft({ mailingId: id, reason: 'missed', queuedAt: (await openSend(id)).queuedAt! });
      equal(await statusOf(pool, id), 'stopped');
      const { rows } = await pool.query('select errors, finished_at from core_mailing where id = $1', [id]);
      deepEqual([rows[0].errors, rows[0].finished_at !== null], [['missed'], true]);
    });

    it('is stopped, and has ended, and its submitter is told, where part of it was sent and it is stopped before it goes on, whoever ends it', async () => {
      const told = async () => {
        const { rows } = await pool.query('select kind from core_mailingnotice where mailing_id = $1 order by id', [id]);
        return rows.map(({ kind }) => kind);
      };
      await pool.query(
        `with submitter as (insert into auth_user (username, password) values ('ann' || $1::int, '') returning id)
         update core_mailing m set submitter_id = submitter.id from submitter where m.id = $1`,
        [id],
      );
      const again = () =>
        pool.query("update core_mailing set status = 'queued', started_at = now() - interval '1 day', finished_at = null where id = $1", [
          id,
        ]);
      const end = async () => {
        const { rows } = await pool.query('select status, finished_at is not null as ended from core_mailing where id = $1', [id]);
        return rows[0];
      };
      await again();
      const { queuedAt } = (await askToStop(sqlOn(pool), id))!;
      await endSend(sqlOn(pool), id, { outcome: 'stopped', reasons: [], queuedAt });
      deepEqual(await end(), { status: 'stopped', ended: true });
      await again();
      await endUnstarted(sqlOn(pool), id, (await askToStop(sqlOn(pool), id))!);
      deepEqual(await end(), { status: 'stopped', ended: true });
      deepEqual(await told(), ['stopped', 'stopped']);
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
