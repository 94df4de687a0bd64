import { deepEqual, equal } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, text } from '../support/console-visitor.ts';
import { idIn, READY } from '../support/mailings.ts';

describe('what tabs of the console are called', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;

  before(async () => {
    api = await startApi();
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  const titleOf = async (page: string) => {
    const { statusCode, body } = await visitor.get(page);
    equal(statusCode, 200, `${page}: ${text(body)}`);
    return /<title>(.*?)<\/title>/s.exec(body)![1]!;
  };

  const twice = async (path: string, make: (nth: number) => Promise<string>, of: (id: number) => string[]) =>
    [await make(1), await make(2)].flatMap((uri) => of(idIn(uri)).map((page) => `/console/${path}${page}`));

  const draft = async () => {
    const token = visitor.token(await visitor.get('/console/imports/'));
    const file = { name: 'upload', filename: 'people.csv', content: 'email\nann@example.org' };
    const { headers } = await visitor.sendFile('/console/imports/', { _csrf: token }, file);
    await visitor.submit(String(headers.location), String(headers.location), { column: 'email', page: String(fair) });
    return String(headers.location);
  };
  let fair: number;

  it('tells one from another, also of things that have the same name', async () => {
    fair = idIn(await api.create('importpage', { name: 'fair' }));
    const user = (nth: number) => api.create('user', { email: `ann${nth}@example.org`, first_name: 'Ann' });
    const mailing = (id: number) =>
      ['', 'edit/', 'choose/', 'schedule/', 'audience/', 'preview/', 'results/', 'confirm/uncertain-resend', 'confirm/failed-resend']
        .concat(['uncertain', 'failed', 'skipped'].map((name) => `recipients/${name}/`))
        .map((path) => `${id}/${path}`);
    const person = (id: number) =>
      ['', 'actions/', 'mails/', 'edit/', 'merge/', `merge/?with=${3 - id}`, 'erase/'].map((path) => `${id}/${path}`);
    for (const short of ['calls', 'people']) await api.create('queryreport', { name: 'Totals', short_name: short, sql: 'select 1' });
    const pages = [
      ...(await twice('people/', user, person)),
      ...(await twice('mailings/', () => api.create('mailer', READY), mailing)),
      ...(await twice('imports/draft/', draft, (id) => [`${id}/`, `${id}/check/`])),
      ...(await twice(
        'whipcounts/',
        (nth) => api.create('whipcountpage', { name: `call${nth}`, title: 'Call' }),
        (id) => [`${id}/`],
      )),
      ...[
        'reports/',
        'reports/sql/',
        'reports/calls/',
        'reports/people/',
        'lists/',
        'imports/',
        'mailings/',
        'mailings/new',
        'people/',
        '',
      ].map((path) => `/console/${path}`),
    ];
    const titles = new Map<string, string[]>();
    for (const page of pages) {
      const title = await titleOf(page);
      titles.set(title, [...(titles.get(title) ?? []), page]);
    }
    deepEqual(
      [...titles].filter(([, named]) => named.length > 1),
      [],
    );
  });
});
