import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { findings } from '../support/axe.ts';
import { sharedServers } from '../support/shared-servers.ts';
import { needsChromium, type VisitedPlatform, visitPlatform } from '../support/visited-console.ts';

const PEOPLE = 5000;
/** Every fifth lives in California, and is left out. */
const AUDIENCE = 4000;
const RATE = 300;
const MYSELF = 'organiser@river.example';

/** As a spreadsheet saves it, with names of columns of its own. */
const FILE = [
  'E-Mail,Given name,Surname,ZIP code,Hobby',
  ...Array.from({ length: PEOPLE }, (_, n) => `walker${n}@crowd.example,Wanda,Walker${n},${n % 5 ? '10001' : '94103'},"hiking, dogs"`),
].join('\r\n');

interface Results {
  totals: { recipients: number };
  subjects: { subject: string; recipients: number }[];
}

describe('an organiser’s day in the console', () => {
  let day: VisitedPlatform;
  let mailing: string;

  before(async function () {
    needsChromium(this);
    // The relay has this one, and is gone before it says so.
    day = await visitPlatform(await sharedServers(), [{ at: 'message', match: 'walker1717@', next: 'close', keep: true, times: 1 }]);
    await day.page.goto(`${day.platform.baseUrl}/console/`);
    await day.logIn(day.login);
    await day.page.getByRole('heading', { name: 'Needs somebody' }).waitFor();
  });
  after(() => day?.close());

  const overview = () => day.page.goto(`${day.platform.baseUrl}/console/mailings/${mailing}/`);
  const addressOf = (n: number) => `walker${n}@crowd.example`;

  it('begins with a list, and five thousand people from a file', async () => {
    const { page, says, press, follow } = day;
    await follow('Lists');
    await page.getByLabel('Name').fill('Walkers');
    await press('Make the list');
    await says('The list is made.');
    await follow('Import people');
    await page.getByLabel('A CSV file').setInputFiles({ name: 'walkers.csv', mimeType: 'text/csv', buffer: Buffer.from(FILE) });
    await press('Go on');
    for (const [column, meaning] of [
      ['E-Mail', 'email'],
      ['Given name', 'first_name'],
      ['Surname', 'last_name'],
      ['ZIP code', 'zip'],
      ['Hobby', 'user_hobby'],
    ])
      await page.getByLabel(column!).selectOption(meaning!);
    await page.getByLabel('Name', { exact: true }).fill('Spring walk');
    await page.getByLabel('Puts them on the list').selectOption({ label: 'Walkers' });
    await page.getByLabel('Declare custom fields that are new').press('Space');
    await press('See what would happen');
    await press(/^Import 5,000 lines$/);
    await says(/5,000 of 5,000 lines imported/);
    await follow('Lists');
    await follow('Walkers');
    await says(/^5,000 people$/);
  });

  it('goes on with a mailing of two subjects, and whom it is for', async () => {
    const { platform, page, says, press, follow, write } = day;
    await page.goto(`${platform.baseUrl}/console/`);
    await follow('New mailing');
    await page.getByLabel('Subject 1').fill('Walk with us on Sunday');
    await page.getByLabel('Subject 2').fill('On Sunday, {{ user.first_name }}?');
    await page.getByLabel('From').fill('"River Alliance" <news@river.example>');
    await write(
      'HTML',
      '<p>Dear {{ user.first_name }}, bring your dog. <a href="https://example.org/">Come</a> <a href="{{ unsubscribe_link }}">Leave</a></p>',
    );
    await press('Save and choose the audience');
    await page.waitForURL('**/choose/');
    mailing = /mailings\/(\d+)\//.exec(page.url())![1]!;
    await page.getByRole('region', { name: 'Who gets it' }).getByLabel('Walkers').press('Space');
    await says('5,000 people of 5,000 who can be mailed at all would get it.');
    const not = page.getByRole('region', { name: 'But not' });
    await not.getByText('Places').press('Enter');
    await not.getByLabel('States').fill('CA');
    await says('4,000 people of 5,000 who can be mailed at all would get it.');
    await not.getByText('1,000 people').waitFor();
    await press('Save and build the audience');
    await says(/^\s*4,000 people/);
  });

  it('has a test mail sent to oneself', async () => {
    const { platform, context, page, got, says, press, follow } = day;
    await follow('Preview and proofs');
    await page.frameLocator('iframe').getByText('Dear Wanda, bring your dog.').waitFor();
    await page.getByLabel('Reviewers').fill(MYSELF);
    await press('Send proofs');
    await says(/1 reviewer, 1 sent/);
    equal(got.get(MYSELF), 1);
    const inbox = await context.newPage();
    await inbox.goto(platform.sink!.pageUrl!);
    await inbox.getByText(MYSELF).first().waitFor();
    await inbox.close();
    got.delete(MYSELF);
  });

  it('schedules, moves the time, and sends after all', async () => {
    const { api, page, got, says, press, follow } = day;
    const schedule = async (at: string, button: string) => {
      await overview();
      await follow('Time and speed …');
      await page.getByLabel('Goes out at').fill(at);
      await page.getByLabel('Time zone').fill('Europe/Berlin');
      await page.getByLabel('Mails per second').fill(String(RATE));
      await press(button);
    };
    const year = new Date().getUTCFullYear() + 2;
    await schedule(`${year}-05-04T09:00`, 'Save, and go on to sending');
    // The rate is a part of what was built for.
    await says(/build it anew/);
    await press('Build the audience');
    await page.waitForURL(/done=rebuilding/);
    // The page keeps itself up to date.
    await page.getByText('The audience is being built').waitFor({ state: 'hidden' });
    await says(/^\s*4,000 people/);
    await follow(/Send or schedule/);
    await press('Schedule for 4,000 people');
    await says('The mailing is scheduled.');
    await says(`4 May ${year}, 07:00`);
    await schedule(`${year}-05-11T10:30`, 'Save');
    await says(`11 May ${year}, 08:30`);
    equal((await api.read<{ scheduled_for: string }>(`/rest/v1/mailer/${mailing}/`)).scheduled_for, `${year}-05-11T08:30:00`);
    await press('Take it back');
    await page.getByRole('link', { name: /Send or schedule/ }).waitFor();
    await schedule('', 'Save, and go on to sending');
    equal(got.size, 0);
    await press('Send to 4,000 people');
    await page.getByRole('button', { name: 'Stop now' }).waitFor();
  });

  it('stops in the middle, and goes on with who is left', async () => {
    const { page, got, says, press } = day;
    const bar = page.getByRole('progressbar');
    while (Number(await bar.getAttribute('aria-valuenow')) < 40) await page.waitForTimeout(50);
    await press('Stop now');
    const resume = page.getByRole('link', { name: /^Resume: [\d,]+ left/ });
    await resume.waitFor();
    const sent = got.size;
    ok(sent > 0 && sent < AUDIENCE, `${sent} sent when it stopped`);
    deepEqual(await findings(page), []);
    await resume.press('Enter');
    await press(/^Send to the [\d,]+ people left$/);
    await says(/nobody knows whether they got it/);
    await page.getByRole('link', { name: 'Settle it' }).waitFor();
  });

  it('settles whom nobody knows of', async () => {
    const { page, got, env, says, press, follow } = day;
    await follow('Settle it');
    // Who was on the wire behind it on the same connection may be among them.
    const rows = await page.locator('tbody tr').count();
    ok(rows >= 1 && rows <= 2 * env.SMTP_CONNECTIONS, `${rows} uncertain`);
    await says(addressOf(1717));
    const mailed = await page.locator('tbody td:nth-child(2)').allInnerTexts();
    const unsure = mailed.map((cell) => cell.split(/\s/)[0]!).filter((address) => !got.has(address));
    // Whoever did not get it would get none: here all did.
    deepEqual(unsure, []);
    await follow('Count them as accepted');
    await press('Count them as accepted');
    await says('It has been sent: nothing is left to do.');
    match(await page.locator('.big').first().innerText(), /^4,000 of 4,000 accepted/);
  });

  it('ends with results, here, as a file, in the API and in the boxes of people', async () => {
    const { api, page, got, troubles, says, follow } = day;
    await follow('Results');
    await says('Walk with us on Sunday');
    deepEqual(await findings(page), []);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'CSV of the results by subject' }).click(),
    ]);
    const lines: Record<string, string>[] = parse(readFileSync(await file.path(), 'utf8'), { bom: true, columns: true });
    const { totals, subjects } = await api.read<Results>(`/rest/v1/mailer/${mailing}/results/`);
    equal(totals.recipients, AUDIENCE);
    deepEqual(
      lines.map(({ subject, recipients }) => [subject, Number(recipients)]),
      subjects.map(({ subject, recipients }) => [subject, recipients]),
    );
    deepEqual(
      subjects.map(({ recipients }) => recipients),
      [AUDIENCE / 2, AUDIENCE / 2],
    );
    match(await page.locator('.totals').innerText(), /Accepted\s+4,000/);
    const { status } = await api.read<{ status: string }>(`/rest/v1/mailer/${mailing}/`);
    equal(status, 'completed');
    const { meta } = await api.read<{ meta: { total_count: number } }>('/rest/v1/subscription/?_limit=1');
    equal(meta.total_count, PEOPLE);
    const wanted = Array.from({ length: PEOPLE }, (_, n) => n).filter((n) => n % 5);
    deepEqual(
      wanted.filter((n) => got.get(addressOf(n)) !== 1),
      [],
      'each got it once',
    );
    equal(got.size, AUDIENCE);
    deepEqual(troubles, []);
  });
});
