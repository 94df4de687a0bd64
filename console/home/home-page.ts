import type { FastifyInstance } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { AUTHENTICATED, can } from '../../api/route-options.ts';
import { type ListedMailing, listMailings } from '../../core/mailings/list-mailings.ts';
import { needsSomebody, readOpened, type Waiting } from '../../core/mailings/needs-somebody.ts';
import { growthByDay, peopleByStatus } from '../../core/people/growth.ts';
import { sqlOn } from '../../db/sql.ts';
import { UNDER_WAY } from '../../domain/mailing-status.ts';
import { sendCsv } from '../csv.ts';
import { type Html, html } from '../html.ts';
import { icon } from '../icons.ts';
import { sendPage } from '../layout.ts';
import { mailingRow } from '../mailings/mailing-row.ts';
import { type Condition, conditionWords } from '../watch/condition.ts';
import { conditionsOf, WAITS_MS } from '../watch/glance.ts';
import { growthChart, growthPart } from './growth.ts';
import { lastPart } from './last-mailings.ts';
import { needsPart } from './needs-part.ts';

const SHOWN = { underWay: 10, last: 5, days: 30 };

/** `/console/`: what is being sent, what needs somebody, how many people there are, and how the last mailings did. */
export function registerHomePage(app: FastifyInstance, context: ApiContext): void {
  const { pool, env } = context;
  const sql = sqlOn(pool);

  app.get('/console/', page(AUTHENTICATED), async (request, reply) => {
    const mailings = can(request, 'mailer:read');
    const [sending, last, people] = await Promise.all([
      mailings ? readSending(context, WAITS_MS.page).then(sendingPart) : null,
      mailings ? readLast(can(request, 'mailer:write')) : '',
      can(request, 'user:read') ? peopleByStatus(sql) : null,
    ]);
    const content = html`<div class="head first"><h1>Home</h1>${can(request, 'mailer:write') ? html`<a class="button main" href="/console/mailings/new">New mailing</a>` : ''}</div>
${sending ? html`<div data-region="home">${sending}</div>` : ''}${people ? growthPart(people.people, SHOWN.days) : ''}${last}
${mailings || people ? '' : html`<p class="none">Your account may neither read mailings nor people: whoever administers accounts can give it grants.</p>`}`;
    return sendPage(request, reply, env, { title: 'Home', content, charts: people !== null, ...(mailings && { live: '/console/live' }) });
  });

  app.get('/console/live', page('mailer:read'), async () => {
    const sending = await readSending(context, WAITS_MS.live);
    const { mailings, conditions } = sending;
    const said = mailings.map(({ id, subject }) => `${subject}: ${conditionWords(conditions.get(id)!)}`).join('. ');
    return { busy: mailings.length > 0, regions: { home: String(sendingPart(sending)) }, said };
  });

  app.get('/console/growth', page('user:read'), async (request) => ({
    growth: growthChart(await growthByDay(context.longReads.of(request), SHOWN.days)),
  }));

  app.get('/console/growth.csv', page('user:read'), async (request, reply) => {
    const days = await growthByDay(context.longReads.of(request), SHOWN.days);
    return sendCsv(
      reply,
      'growth',
      ['utc_day', 'joined', 'left'],
      days.map(({ day, joined, left }) => [day, joined, left]),
    );
  });

  async function readLast(mayWrite: boolean): Promise<Html> {
    const last = await listMailings(sql, { statuses: ['completed'], words: '', limit: SHOWN.last, offset: 0, order: 'ended' });
    return lastPart(
      last,
      await readOpened(
        sql,
        last.map(({ id }) => id),
      ),
      mayWrite,
      env,
    );
  }
}

/** What changes by itself. */
interface Sending {
  mailings: ListedMailing[];
  /** There are others under way. */
  more: boolean;
  conditions: ReadonlyMap<number, Condition>;
  waiting: Waiting[];
}

/** @param waitsMs for what runs say of themselves */
async function readSending(context: ApiContext, waitsMs: number): Promise<Sending> {
  const sql = sqlOn(context.pool);
  const underWay = async () => {
    const found = await listMailings(sql, { statuses: UNDER_WAY, words: '', limit: SHOWN.underWay + 1, offset: 0, order: 'soonest' });
    const mailings = found.slice(0, SHOWN.underWay);
    return { mailings, more: found.length > mailings.length, conditions: await conditionsOf(context, mailings, waitsMs) };
  };
  const [sending, waiting] = await Promise.all([underWay(), needsSomebody(sql)]);
  return { ...sending, waiting };
}

function sendingPart({ mailings, more, conditions, waiting }: Sending): Html {
  const rows = mailings.length
    ? html`<ul class="rows">${mailings.map((each) => mailingRow(each, conditions.get(each.id)!))}</ul>${more ? html`<p><a href="/console/mailings/?group=under-way">All that are under way</a></p>` : ''}`
    : html`<p class="none">Nothing is being sent, and nothing is scheduled.</p>`;
  return html`<section aria-labelledby="sending-title"><div class="head"><h2 id="sending-title">${icon('mail')}Being sent</h2><a class="more" href="/console/mailings/">All mailings</a></div>${rows}</section>${needsPart(waiting)}`;
}
