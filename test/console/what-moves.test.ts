import { doesNotMatch, equal, match } from 'node:assert/strict';
import { LEDGER_STATE } from '../../domain/words.ts';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, text } from '../support/console-visitor.ts';
import { idIn, READY } from '../support/mailings.ts';
import { merge } from '../support/merging.ts';
import { record } from '../support/sending.ts';

describe('what the console says of people before they are merged or erased', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;
  const seen = async (url: string) => {
    const answer = await visitor.get(url);
    equal(answer.statusCode, 200, text(answer.body));
    return text(answer.body);
  };

  before(async () => {
    api = await startApi();
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  it('moves what who stays has not', async () => {
    const [home, mobile] = [
      { phone: '212 555 0100', type: 'home' },
      { phone: '212 555 0199', type: 'mobile' },
    ];
    const person = (name: string, more: object) => api.create('user', { email: `${name}@example.org`, ...more });
    const stays = idIn(await person('stays', { fields: { shoe: '41' }, phones: [home] }));
    const goes = idIn(await person('goes', { fields: { shoe: '42', hat: ['L', 'XL'] }, phones: [home, mobile] }));
    const campaign = await api.create('eventcampaign', { name: 'marches' });
    const event = () => api.create('event', { campaign, title: 'March' });
    const [both, one] = [await event(), await event()];
    for (const [at, user] of [
      [both, stays],
      [both, goes],
      [one, goes],
    ])
      await api.create('eventsignup', { event: at, user: `/rest/v1/user/${user}/`, role: 'attendee', status: 'active' });
    for (const receivers of [[stays, goes], [goes]]) {
      const mailing = idIn(await api.create('mailer', READY));
      for (const [n, user] of receivers.entries())
        await record(api.pool, mailing, user, { position: n + 1, state: LEDGER_STATE.accepted, detail: null });
    }
    match(await seen(`/console/people/${goes}/`), /Mails 2/);
    match(
      await seen(`/console/people/${stays}/merge/?with=${goes}`),
      /What moves Mails 1 Phones 1 Custom fields 1 Event signups 1 This cannot be undone/,
    );
    await merge(api.pool, stays, [goes]);
    const after = await seen(`/console/people/${stays}/`);
    match(after, /Mails 2/);
    match(after, /212 555 0100 home 212 555 0199 mobile/);
    match(after, /hat L, XL shoe 41/);
    // Phones are emptied, and not among what stays.
    const erase = await seen(`/console/people/${stays}/erase/`);
    match(erase, /stays in the numbers: Mails 2 Custom fields 2 Event signups 2 /);
    doesNotMatch(erase, /Phones \d/);
  });

  it('are told of as far as the account may read', async () => {
    const [stays, goes] = [
      await api.create('user', { email: 'one@example.org' }),
      await api.create('user', { email: 'two@example.org', fields: { shoe: '40' } }),
    ].map(idIn);
    await api.create('signuppage', { name: 'joined' });
    equal((await api.call('POST', '/rest/v1/action/', { page: 'joined', email: 'two@example.org' })).statusCode, 201);
    const group = await api.create('authgroup', { name: 'mergers', grants: ['user:read', 'user:merge', 'user:erase'] });
    await api.create('authuser', { username: 'merger', password: 'long-enough', is_staff: true, groups: [group] });
    const merger = new ConsoleVisitor(api.app);
    await merger.logIn({ username: 'merger', password: 'long-enough' });
    const told = async (url: string) => text((await merger.get(url)).body);
    match(await told(`/console/people/${stays}/merge/?with=${goes}`), /What moves Custom fields 1 And what your account may not read\./);
    doesNotMatch(await told(`/console/people/${goes}/erase/`), /Actions 1/);
    match(await seen(`/console/people/${goes}/erase/`), /Actions 1 Custom fields 1/);
  });
});
