import { Agent, request } from 'node:http';
import { parseArgs } from 'node:util';
import Fastify, { type FastifyInstance } from 'fastify';
import type pg from 'pg';
import { akid } from '../domain/akid.ts';
import { manyUsers } from './support/many-people.ts';
import { median, percentile } from './support/percentile.ts';
import { listen, serveApi } from './support/served-api.ts';

/**
 * Openings and clicks over HTTP by a crowd, beside a bare Fastify route that writes one row with one prepared statement for each, in turns. Every one
 * of ours is looked for in the tables afterwards.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const { values } = parseArgs({
    args,
    options: {
      users: { type: 'string', default: '100000' },
      requests: { type: 'string', default: '10000' },
      rounds: { type: 'string', default: '5' },
      lanes: { type: 'string', default: '64' },
    },
  });
  const [users, requests, rounds, lanes] = [values.users, values.requests, values.rounds, values.lanes].map(Number) as [
    number,
    number,
    number,
    number,
  ];
  const served = await serveApi({ LOG_LEVEL: 'silent' }, (pool) => manyUsers(pool, users));
  const { env, pool, app } = served;
  const [mailing, bareMailing] = [await sentMailing(pool), await sentMailing(pool)];
  const bare = bareTracking(pool);
  try {
    const [ours, theirs] = await Promise.all([app, bare].map(listen));
    const someone = () => 1 + Math.floor(Math.random() * users);
    const mine = () => akid(env.SECRET_KEY, mailing, someone());
    const ways = {
      opens: { ours: () => `${ours}/open/${mine()}.gif`, theirs: () => `${theirs}/open/${bareMailing}/${someone()}` },
      clicks: { ours: () => `${ours}/click/${mine()}/0`, theirs: () => `${theirs}/click/${bareMailing}/${someone()}` },
    };
    const figures: Record<string, unknown> = { users, lanes };
    const sent: Record<string, number> = { opens: 0, clicks: 0 };
    for (const [name, way] of Object.entries(ways)) {
      const round = async (url: () => string) => crowd(Array.from({ length: requests }, url), lanes);
      await round(way.theirs);
      await round(way.ours);
      const both = [];
      for (let n = 0; n < rounds; n++) both.push({ theirs: await round(way.theirs), ours: await round(way.ours) });
      sent[name] = requests * (rounds + 1);
      const ratio = median(both.map((each) => each.ours.perSecond / each.theirs.perSecond));
      const p95 = median(both.map((each) => each.ours.p95));
      const perSecond = Math.round(median(both.map((each) => each.ours.perSecond)));
      figures[name] = { perSecond, ratio: round2(ratio), p95: round2(p95), bareP95: round2(median(both.map((each) => each.theirs.p95))) };
      console.log(`${name}: ${perSecond}/s, ${round2(ratio)} times a bare route, ${round2(p95)} ms at the 95th percentile`);
    }
    await app.close();
    const { rows } = await pool.query(
      `select (select count(*)::int from core_open where mailing_id = $1) as opens, (select count(*)::int from core_click where mailing_id = $1) as clicks,
        (select sum(total_raw_opens)::int from core_trackedtotal where mailing_id = $1) as totals`,
      [mailing],
    );
    const lost = sent['opens']! - rows[0].opens + (sent['clicks']! - rows[0].clicks);
    console.log(`${lost} of ${sent['opens']! + sent['clicks']!} lost`);
    return { ...figures, lost, totalsAgree: rows[0].totals === rows[0].opens };
  } finally {
    await bare.close();
    await served.close();
  }
}

/** A mailing everybody got, with two subjects and one link. */
async function sentMailing(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query(`insert into core_mailing (status) values ('completed') returning id`);
  const id: number = rows[0].id;
  await pool.query(`insert into core_mailingsubject (mailing_id, position, text) values ($1, 0, 'A'), ($1, 1, 'B')`, [id]);
  await pool.query(`insert into core_mailinglink (mailing_id, number, url) values ($1, 0, 'https://a.example/')`, [id]);
  await pool.query(
    `insert into send_accepted (mailing_id, position, user_id, sent_second) select $1, row_number() over (order by id), id, 0 from core_user`,
    [id],
  );
  await pool.query('vacuum analyze');
  return id;
}

/** The least a route can be that leaves one row behind: nothing checked, nobody counted, no totals. */
function bareTracking(pool: pg.Pool): FastifyInstance {
  const app = Fastify();
  const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
  app.get('/open/:mailing/:user', async (request, reply) => {
    const { mailing, user } = request.params as Record<string, string>;
    await pool.query({ name: 'bare-open', text: 'insert into core_open (user_id, mailing_id) values ($1, $2)', values: [user, mailing] });
    return reply.type('image/gif').send(pixel);
  });
  app.get('/click/:mailing/:user', async (request, reply) => {
    const { mailing, user } = request.params as Record<string, string>;
    const text = 'insert into core_click (user_id, mailing_id, link_number) values ($1, $2, 0)';
    await pool.query({ name: 'bare-click', text, values: [user, mailing] });
    return reply.redirect('https://a.example/', 302);
  });
  return app;
}

/** All of some addresses, so many under way at a time, on connections that are kept. */
async function crowd(urls: string[], lanes: number): Promise<{ perSecond: number; p95: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes });
  const headers = { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15' };
  const one = (url: string) =>
    new Promise<void>((resolve, reject) => {
      const asked = request(url, { agent, headers }, (answer) => {
        answer.resume();
        const fine = answer.statusCode === 200 || answer.statusCode === 302;
        answer.on('end', () => (fine ? resolve() : reject(new Error(`${url} answered ${answer.statusCode}`))));
      });
      asked.on('error', reject).end();
    });
  const times: number[] = [];
  const began = performance.now();
  let next = 0;
  const lane = async () => {
    while (next < urls.length) {
      const begun = performance.now();
      await one(urls[next++]!);
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const perSecond = urls.length / ((performance.now() - began) / 1000);
  agent.destroy();
  return { perSecond, p95: percentile(times, 0.95) };
}

const round2 = (value: number) => Math.round(value * 100) / 100;
