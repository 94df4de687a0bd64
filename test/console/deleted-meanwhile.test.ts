import { doesNotMatch, equal, match } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, text } from '../support/console-visitor.ts';
import { idIn } from '../support/mailings.ts';

const WORDS = 'We walk from <Boston>\r\nto Worcester & back.';

describe('a form of the console about what was deleted meanwhile', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;

  before(async () => {
    api = await startApi();
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  it('is answered with what was written, to be copied, and with nothing else that it held', async () => {
    const forms: [resource: string, fields: object, page: (id: number) => string, written: Record<string, string>, labels: string[]][] = [
      ['list', { name: 'Walkers' }, (id) => `lists/${id}/`, { name: 'Hikers', notes: WORDS }, ['Name', 'Notes']],
      [
        'authgroup',
        { name: 'Editors', grants: [] },
        (id) => `accounts/groups/${id}/`,
        { name: 'Hikers', others: WORDS },
        ['Name', 'others'],
      ],
      ['user', { email: 'ann@example.org' }, (id) => `people/${id}/edit/`, { first_name: 'Hikers', address1: WORDS }, ['first_name']],
    ];
    for (const [resource, fields, page, written, labels] of forms) {
      const uri = await api.create(resource, fields);
      const at = `/console/${page(idIn(uri))}`;
      const _csrf = visitor.token(await visitor.get(at));
      const gone = await api.call('DELETE', uri);
      equal(gone.statusCode, 204, resource);
      const { statusCode, body } = await visitor.post(at, { _csrf, version: 'abc', hidden: '1', ...written });
      equal(statusCode, 404, resource);
      match(text(body), /what it was about has been deleted\..* What you sent/, resource);
      match(body, />\nHikers<\/textarea>/);
      match(body, />\nWe walk from &lt;Boston&gt;\nto Worcester &amp; back\.<\/textarea>/);
      for (const label of labels) match(body, new RegExp(`<label for="\\w+">${label}</label>`));
      doesNotMatch(body.replace(/<header.*<\/header>/s, ''), new RegExp(`${_csrf}|>abc<`));
    }
    const _csrf = visitor.token(await visitor.get('/console/'));
    doesNotMatch((await visitor.post('/console/people/4711/subscribe', { _csrf, list: '5' })).body, /What you sent/);
  });

  it('… so is one whose account has lost the grant for it meanwhile', async () => {
    const group = await api.create('authgroup', { name: 'Writers', grants: ['mailer:read', 'mailer:write'] });
    await api.create('authuser', { username: 'wendy', password: 'long-enough', is_staff: true, groups: [group] });
    const wendy = new ConsoleVisitor(api.app);
    await wendy.logIn({ username: 'wendy', password: 'long-enough' });
    const mailing = await api.create('mailer', { subjects: ['Walk'], html: '<p>stored</p>' });
    const at = `/console/mailings/${idIn(mailing)}/edit/`;
    const _csrf = wendy.token(await wendy.get(at));
    await api.call('PATCH', group, { grants: ['mailer:read'] });
    const { statusCode, body } = await wendy.post(at, { _csrf, version: 'abc', subject: 'Hikers', html: WORDS });
    equal(statusCode, 403);
    match(text(body), /it needs the grant mailer:write\..* What you sent/);
    match(body, />\nWe walk from &lt;Boston&gt;\nto Worcester &amp; back\.<\/textarea>/);
    equal((await api.read(mailing)).html, '<p>stored</p>');
    equal((await wendy.post(`${at.slice(0, -5)}stop`, {})).statusCode, 403);
  });
});
