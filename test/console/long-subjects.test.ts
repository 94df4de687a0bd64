import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { templated } from '../../console/templated.ts';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';
import { idIn, READY } from '../support/mailings.ts';
import { everyTurnMs } from '../support/processor-time.ts';

describe('subjects in the console', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;

  before(async () => {
    api = await startApi();
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  it('show what differs from person to person as a slot, and all else as it is', () => {
    const slot = (source: string, name: string) => `<span class="slot" title="${source.replaceAll('"', '&quot;')}">${name}</span>`;
    const name = '{{ user.first_name|default:"you" }}';
    equal(
      String(templated(`Hi ${name}, {% if x %}<b>{% endif %}`)),
      `Hi ${slot(name, 'first name')}, ${slot('{% if x %}', 'if x')}&lt;b&gt;${slot('{% endif %}', 'endif')}`,
    );
    for (const none of ['{{', '{%}}', '{# {{{{ #}', '{{ a %}', '}} {{']) equal(String(templated(none)), none);
    equal(String(templated('{% {{ a }} b')), `{% ${slot('{{ a }}', 'a')} b`);
    equal(String(templated('x'.repeat(1001))), `${'x'.repeat(1000)}…`);
  });

  it('hold nobody up, whatever is open in them and however long they are', async () => {
    const open = (characters: number) => `{# ${'{{'.repeat(characters / 2)} #}s`;
    const subjects = {
      'one of 40,000': [open(40_000)],
      'three hundred of 1,000': Array(300).fill(open(900)),
      'a thousand': Array(1000).fill('s'),
    };
    const uris: [string, string][] = [];
    for (const [what, each] of Object.entries(subjects)) uris.push([what, await api.create('mailer', { ...READY, subjects: each })]);
    for (const [what, uri] of uris)
      for (const url of [
        '/console/mailings/',
        '/console/mailings/live',
        `/console/mailings/${idIn(uri)}/`,
        `/console/mailings/${idIn(uri)}/results/`,
      ]) {
        await visitor.get('/console/mailings/?group=drafts');
        const held = await everyTurnMs(100, async () => equal((await visitor.get(url)).statusCode, 200));
        ok(held < 100, `${what}: ${url} held the others for ${Math.round(held)} ms`);
      }
  });

  it('stand in the file of all mailings, which is read a hundred at a time', async () => {
    await api.pool.query(
      `with made as (insert into core_mailing (notes) select 'note ' || n from generate_series(1, 250) n returning id)
       insert into core_mailingsubject (mailing_id, position, text) select id, 0, 'number ' || id from made`,
    );
    const { rows } = await api.pool.query<{ id: number }>('select id from core_mailing where not hidden order by id desc');
    const lines = (await visitor.get('/console/mailings.csv')).body.trim().split('\r\n');
    match(lines[0]!, /^id,subject,notes,status,/);
    deepEqual(
      lines.slice(1).map((line) => Number(line.split(',')[0])),
      rows.map(({ id }) => id),
    );
    match(lines[1]!, new RegExp(`^${rows[0]!.id},number ${rows[0]!.id},note 250,draft,`));
    const found = (await visitor.get('/console/mailings.csv?q=note%2024')).body.trim().split('\r\n');
    equal(found.length, 1 + 11);
  });

  it('are offered by how they begin, as titles of pages are', async () => {
    const uri = await api.create('mailer', READY);
    await api.create('fromline', { from_line: `"${'a'.repeat(239)}" <a@b.example>` });
    await api.pool.query(
      `with made as (insert into core_mailing (status) select case when n % 2 = 0 then 'model' else 'completed' end from generate_series(1, 40) n returning id)
       insert into core_mailingsubject (mailing_id, position, text) select id, 0, 'Spring' || repeat('<i>', 100000) from made`,
    );
    await api.pool.query(
      `insert into core_page (name, title, type) select 'page ' || n, 'Fair' || repeat('<', 90000), 'signup' from generate_series(1, 100) n`,
    );
    const at = `/console/mailings/${idIn(uri)}/`;
    for (const [url, ...names] of [
      [`${at}choose/`, 'Spring&lt;i&gt;', 'Fair&lt;'],
      // Whole: it is copied from there.
      [`${at}edit/`, `<code>&quot;${'a'.repeat(239)}&quot; &lt;a@b.example&gt;</code>`, 'Fair&lt;'],
      ['/console/choices/mailings?q=spring', 'Spring<i>'],
    ] as const) {
      let { body } = await visitor.get(url);
      const held = await everyTurnMs(100, async () => {
        ({ body } = await visitor.get(url));
      });
      ok(held < 100, `${url} held the others for ${Math.round(held)} ms`);
      ok(body.length < 600_000, `${url}: ${body.length}`);
      for (const name of names) ok(body.includes(name), `${url} has ${name}`);
    }
  });

  it('stand in that file however many mailings there are', async () => {
    await api.pool.query('insert into core_mailing (notes) select $1 from generate_series(1, 10100)', ['one of many']);
    const lines = (await visitor.get('/console/mailings.csv?group=drafts')).body.trim().split('\r\n');
    const { rows } = await api.pool.query(`select count(*)::int as n from core_mailing where status = 'draft' and not hidden`);
    equal(lines.length, 1 + rows[0].n);
  });
});
