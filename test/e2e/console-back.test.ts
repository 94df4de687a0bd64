import { deepEqual, equal } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { idIn } from '../support/mailings.ts';
import { needsChromium, type Visit, visit } from '../support/visited-console.ts';

interface Form {
  path: string;
  /** What it says after it was saved. */
  saved: string;
  field: string;
  uri: string;
  /** What is typed there, and what somebody else writes meanwhile. */
  mine: readonly [string, string];
  theirs: unknown;
}

describe('a form of the console that somebody comes back to, in a browser', () => {
  let api: TestApi;
  let here: Visit;
  let base: string;

  before(async function () {
    needsChromium(this);
    api = await startApi();
    base = await api.app.listen({ port: 0, host: '127.0.0.1' });
    here = await visit();
    await here.page.goto(`${base}/console/`);
    await here.logIn(ADMIN);
  });
  after(async () => {
    await here?.context.close();
    await api?.close();
  });

  let made = 0;
  const forms = async (): Promise<Form[]> => {
    made++;
    const person = await api.create('user', { email: `ann${made}@example.org`, city: 'Paris' });
    const list = await api.create('list', { name: `News ${made}`, notes: 'as it was' });
    const mailing = await api.create('mailer', { subjects: ['Walk'], html: '<p>Hello</p>', notes: 'as it was', limit: 1 });
    const written = { mine: ['mine', 'mine as well'], theirs: 'theirs', saved: 'Saved.' } as const;
    return [
      { ...written, path: `people/${idIn(person)}/edit/`, field: 'city', uri: person },
      { ...written, path: `lists/${idIn(list)}/`, field: 'notes', uri: list },
      { ...written, path: `mailings/${idIn(mailing)}/edit/`, field: 'notes', uri: mailing },
      {
        path: `mailings/${idIn(mailing)}/choose/`,
        saved: 'The audience is being built.',
        field: 'limit',
        uri: mailing,
        mine: ['2', '3'],
        theirs: 4,
      },
    ];
  };
  const there = async () => {
    if (/mailings\/\d+\/edit\/$/.test(here.page.url())) await here.page.locator('html.editing').waitFor();
  };
  const open = async (path: string) => {
    await here.page.goto(`${base}/console/${path}`);
    await there();
  };
  const back = async () => {
    await here.page.goBack({ waitUntil: 'load' });
    await there();
  };
  const place = ({ field }: Form) => here.page.locator(`[name="${field}"]`).first();
  const save = () =>
    here.page
      .getByRole('button', { name: /^Save( and build the audience)?$/ })
      .first()
      .click();
  const isSaved = (form: Form) => here.page.getByText(form.saved, { exact: true }).first().waitFor();
  const stored = async ({ uri, field }: Form) => String((await api.read(uri))[field]);

  it('has what was typed there, and does not put it, without a word, in the place of what somebody else has saved since', async () => {
    const { page } = here;
    for (const form of await forms()) {
      for (const [nth, mine] of form.mine.entries()) {
        const saves = nth === 0;
        await open(form.path);
        await place(form).fill(mine);
        if (saves) {
          await save();
          await isSaved(form);
        } else {
          page.once('dialog', (dialog) => void dialog.accept());
          await page.goto(`${base}/console/reports/`);
        }
        await api.call('PATCH', form.uri, { [form.field]: form.theirs });
        await back();
        equal(await place(form).inputValue(), mine, form.path);
        await save();
        await page
          .locator('[role=alert]')
          .getByText(/since you opened/)
          .waitFor();
        deepEqual([await stored(form), await place(form).inputValue()], [String(form.theirs), mine], form.path);
        // Loaded anew it is the same answer.
        await page.reload();
        equal(await place(form).inputValue(), mine, form.path);
        // Now they know.
        await save();
        await isSaved(form);
        equal(await stored(form), mine, form.path);
      }
    }
  });

  it('says of nobody that they were there where nobody was, however often it is saved', async () => {
    const { page } = here;
    for (const form of await forms()) {
      await open(form.path);
      for (const mine of [...form.mine, form.mine[0]]) {
        await place(form).fill(mine);
        // Of a mailing it is saved by itself, too.
        if (form.path.endsWith('/edit/') && form.path.startsWith('mailings/')) await page.getByText(/^Saved at /).waitFor();
        await save();
        await isSaved(form);
        equal(await stored(form), mine, form.path);
        await back();
        equal(await place(form).inputValue(), mine, form.path);
      }
    }
  });
});
