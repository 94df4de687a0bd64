import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiContext } from '../../api/deps.ts';
import { idOf } from '../../api/resource/routes.ts';
import { Writer } from '../../api/resource/write.ts';
import { hasPassword } from '../../core/accounts/account.ts';
import { type AccountSummary, accountSummary, groups } from '../../core/accounts/account-list.ts';
import { sqlOn } from '../../db/sql.ts';
import { ConflictError, InputError, NotFoundError } from '../../domain/errors.ts';
import { choices, idsOf, line, type Problems, type Sent, textOf } from '../fields.ts';
import { type Html, html } from '../html.ts';
import { csrfField, formToken, sendPage } from '../layout.ts';
import { time } from '../numbers.ts';
import { messagesIn } from '../plain-words.ts';
import { onceField, pressed } from '../pressed-once.ts';
import { OvertakenError, versionOf } from '../version.ts';
import { forSuperusers } from './for-superusers.ts';
import { newPassword } from './new-password.ts';

/** What the form says of an account. */
type Draft = Pick<AccountSummary, 'username' | 'first_name' | 'last_name' | 'email' | 'is_staff' | 'is_active' | 'is_superuser' | 'groups'>;

const EMPTY: Draft = {
  username: '',
  first_name: '',
  last_name: '',
  email: '',
  is_staff: true,
  is_active: true,
  is_superuser: false,
  groups: [],
};

interface Shown {
  account?: AccountSummary;
  draft: Draft;
  /** That of the form that was sent, where nobody looked yet whether somebody else was there. */
  version?: string;
  problems?: Problems;
  /** A password nobody is shown again. */
  password?: string;
  said?: string;
}

/** `/console/accounts/new` and `…/{id}/`: who an account is of, what it may do, and new passwords. */
export function registerAccountPages(app: FastifyInstance, context: ApiContext): void {
  const sql = sqlOn(context.pool);
  const writer = new Writer(context.registry.get('authuser'), context);
  const options = forSuperusers('authuser:write');

  app.get('/console/accounts/new', options, (request, reply) => show(request, reply, { draft: EMPTY }));

  app.post('/console/accounts/new', options, async (request, reply) => {
    const draft = draftOf(request.body as Sent);
    // With other values it is another account that is asked for.
    const press = pressed(request, `/console/accounts/new ${JSON.stringify(draft)}`);
    const password = newPassword(context.env, press);
    try {
      const id = await writer.create(request, { ...draft, password }, press);
      return await given(request, reply, id, password, 'The account is made.');
    } catch (error) {
      return show(request, reply.code(error instanceof ConflictError ? 409 : 400), { draft, problems: problemsOf(error) });
    }
  });

  app.get('/console/accounts/:id/', options, async (request, reply) => {
    const account = await read(idOf(request));
    const { saved } = request.query as Record<string, unknown>;
    return show(request, reply, { account, draft: draftFrom(account), ...(saved === '1' && { said: 'Saved.' }) });
  });

  app.post('/console/accounts/:id/', options, async (request, reply) => {
    const id = idOf(request);
    const sent = request.body as Sent;
    const draft = draftOf(sent);
    const first = async () => {
      // Sent a second time, or by two presses: what is stored is what was sent.
      if (![textOf(sent, 'version'), versionOf(draft)].includes(versionOf(draftFrom(await read(id))))) throw new OvertakenError();
    };
    try {
      await writer.update(id, request, { body: draft, first });
    } catch (error) {
      if (error instanceof NotFoundError) throw error;
      const overtaken = error instanceof OvertakenError;
      const again = {
        account: await read(id),
        draft,
        problems: problemsOf(error),
        ...(!overtaken && { version: textOf(sent, 'version') }),
      };
      return show(request, reply.code(overtaken || error instanceof ConflictError ? 409 : 400), again);
    }
    return reply.redirect(`/console/accounts/${id}/?saved=1`, 303);
  });

  app.post('/console/accounts/:id/password', options, async (request, reply) => {
    const id = idOf(request);
    const press = pressed(request, `/console/accounts/${id}/password`);
    const password = newPassword(context.env, press);
    await writer.update(id, request, { body: { password }, press });
    const others = id === request.account!.id ? ', but for you here,' : '';
    const said = `The old password is good for nothing now, and whoever was logged in by it${others} is logged out.`;
    return given(request, reply, id, password, said);
  });

  /** Shows the password an account was given by this press, or by one before it, unless it has another one since. */
  async function given(request: FastifyRequest, reply: FastifyReply, id: number, password: string, said: string): Promise<FastifyReply> {
    const account = await read(id);
    if (!(await hasPassword(sql, id, password))) return reply.redirect(`/console/accounts/${id}/`, 303);
    return show(request, reply, { account, draft: draftFrom(account), password, said });
  }

  async function read(id: number): Promise<AccountSummary> {
    const account = await accountSummary(sql, id);
    if (!account) throw new NotFoundError();
    return account;
  }

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    { account, draft, version = account && versionOf(draftFrom(account)), problems = {}, password, said }: Shown,
  ): Promise<FastifyReply> {
    const sets = await groups(sql);
    const action = account ? `/console/accounts/${account.id}/` : '/console/accounts/new';
    const text = (name: 'username' | 'first_name' | 'last_name' | 'email', label: string) =>
      line({ name, label, value: draft[name] }, problems);
    const box = (name: 'is_active' | 'is_staff' | 'is_superuser', label: string) =>
      html`<label><input type="checkbox" name="${name}" value="1"${draft[name] ? html` checked` : ''}> ${label}</label>`;
    const placed = ['username', 'first_name', 'last_name', 'email', ...(sets.length ? ['groups'] : [])];
    const others = Object.entries(problems).filter(([field]) => !placed.includes(field));
    const content = html`<p class="crumb"><a href="/console/accounts/">Accounts</a>${account ? ` / ${account.id}` : ''}</p><h1>${account ? account.username : 'A new account'}</h1>
${said ? html`<p class="note good" role="status">${said}</p>` : ''}${password ? passwordPart(password) : ''}
${Object.keys(problems).length ? html`<div class="note bad" role="alert"><p>It was not saved.</p>${messagesIn({ fields: Object.fromEntries(others) }).map((each) => html`<p>${each}</p>`)}</div>` : ''}
<form method="post" action="${action}" class="write" novalidate>${csrfField(formToken(request, reply))}${account ? html`<input type="hidden" name="version" value="${version}">` : onceField()}
<div class="columns"><div><section class="card" aria-labelledby="who"><h2 id="who">Whose it is</h2>${text('username', 'User name')}${text('first_name', 'First name')}${text('last_name', 'Last name')}${text('email', 'Email')}</section></div>
<aside aria-label="What it may do"><div class="card actions"><button class="main">${account ? 'Save' : 'Make the account'}</button>${account ? '' : html`<p class="small">Its password is shown once it is made.</p>`}</div>
<div class="card"><h2>What it may do</h2><div class="boxes">${box('is_active', 'Log in at all')}${box('is_staff', 'Use the console')}${box('is_superuser', 'Everything (superuser)')}</div>
${choices({ name: 'groups', label: 'Groups', values: draft.groups, choices: sets }, problems)}${sets.length ? '' : html`<p class="small">There is no group yet: without one, and no superuser, it may do nothing.</p>`}</div></aside></div></form>
${account ? html`<section class="card narrow" aria-labelledby="password"><h2 id="password">Password</h2><p class="small">Last login: ${time(account.last_login, 'never')}. A new one is made and shown once.</p><form method="post" action="${action}password">${csrfField(formToken(request, reply))}${onceField()}<button class="plain">Make a new password</button></form></section>` : ''}`;
    return sendPage(request, reply, context.env, { title: account ? `Account ${account.id}` : 'A new account', content });
  }
}

const passwordPart = (password: string): Html =>
  html`<div class="note warn"><p>Password: <strong class="secret">${password}</strong></p><p>Give it to them now: it is shown this once, and stored nowhere.</p></div>`;

const draftFrom = ({ username, first_name, last_name, email, is_staff, is_active, is_superuser, groups: sets }: AccountSummary): Draft => ({
  username,
  first_name,
  last_name,
  email,
  is_staff,
  is_active,
  is_superuser,
  groups: sets,
});

const draftOf = (sent: Sent): Draft => {
  const ticked = (name: string) => textOf(sent, name) === '1';
  const text = (name: string) => textOf(sent, name).trim();
  return {
    username: text('username'),
    first_name: text('first_name'),
    last_name: text('last_name'),
    email: text('email'),
    is_staff: ticked('is_staff'),
    is_active: ticked('is_active'),
    is_superuser: ticked('is_superuser'),
    groups: [...new Set(idsOf(sent, 'groups'))].sort((a, b) => a - b),
  };
};

/** @throws what is not about the form */
function problemsOf(error: unknown): Problems {
  if (error instanceof InputError) return error.fields;
  if (error instanceof ConflictError) return { username: ['There is an account of this name already.'] };
  if (error instanceof OvertakenError)
    return {
      form: [
        'Somebody else has changed this account since you opened it. What you see is yours: save once more to put it in the place of theirs.',
      ],
    };
  throw error;
}
