import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../api/deps.ts';
import { type AccountSummary, accounts, countAccounts, type GroupSummary, groups } from '../../core/accounts/account-list.ts';
import { sqlOn } from '../../db/sql.ts';
import { pageByName, readAfter } from '../by-name.ts';
import { type Html, html } from '../html.ts';
import { sendPage } from '../layout.ts';
import { count, counted, leading, time } from '../numbers.ts';
import { numbers, table } from '../table.ts';
import { forSuperusers } from './for-superusers.ts';

const PAGE = 500;

/** `/console/accounts/`: who may log in, and the groups that say what they may do. */
export function registerAccountList(app: FastifyInstance, context: ApiContext): void {
  const sql = sqlOn(context.pool);
  app.get('/console/accounts/', forSuperusers('authuser:write'), async (request, reply) => {
    const [found, { all, on }, sets] = await Promise.all([accounts(sql, readAfter(request, PAGE)), countAccounts(sql), groups(sql)]);
    const { rows, link } = pageByName(found, PAGE);
    const names = new Map(sets.map(({ id, name }) => [id, name]));
    const content = html`<div class="head first"><h1>Accounts</h1><a class="button main" href="/console/accounts/new">New account</a></div>
${leading(on, `of ${counted(all, 'account', 'accounts')} can log in`)}
<div class="card">${table(
      'Accounts',
      ['Account', 'Name', 'May', 'Groups', 'Last login'],
      rows.map((each) => accountRow(each, names)),
    )}</div>${link}
<div class="head"><h2>Groups</h2><a class="more" href="/console/accounts/groups/new">New group</a></div>
${
  sets.length
    ? html`<div class="card">${table('Groups', ['Group', numbers('Accounts'), 'Grants'], sets.map(groupRow))}</div>`
    : html`<p class="none">There is no group yet. An account that is no superuser may do what its groups grant: make one first, such as “Newsletter” with mailings and people.</p>`
}`;
    return sendPage(request, reply, context.env, { title: 'Accounts', content });
  });
}

/** What an account is, in a word. */
export const kindOf = ({ is_active, is_superuser, is_staff }: AccountSummary): string =>
  !is_active ? 'nothing: switched off' : is_superuser ? 'everything' : is_staff ? 'console and API' : 'API only';

const accountRow = (account: AccountSummary, names: Map<number, string>): Html =>
  html`<tr><td><a href="/console/accounts/${account.id}/">${account.username}</a></td><td>${[account.first_name, account.last_name].filter(Boolean).join(' ') || '–'}</td><td>${kindOf(account)}</td><td>${account.groups.map((id) => names.get(id) ?? '').join(', ') || '–'}</td><td>${time(account.last_login, 'never')}</td></tr>`;

const groupRow = ({ id, name, grants, members }: GroupSummary): Html =>
  html`<tr><td><a href="/console/accounts/groups/${id}/">${name}</a></td><td class="n">${count(members)}</td><td>${grants.includes('*') ? 'everything' : grants.slice(0, 12).join(', ') || 'nothing'}${grants.length > 12 ? html` <small>and ${count(grants.length - 12)} more</small>` : ''}</td></tr>`;
