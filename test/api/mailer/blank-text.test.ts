import { equal, match } from 'node:assert/strict';
import { renderMail } from '../../../core/mailings/rendered-mail.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { idIn, READY } from '../../support/mailings.ts';
import { insertPeople } from '../../support/people.ts';

describe('the text version of a mail', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await insertPeople(api.pool, [{ id: 1, email: 'ann@example.org' }]);
  });
  after(() => api.close());

  async function textOf(text: string | null): Promise<string> {
    const uri = await api.create('mailer', { ...READY, html: '<p>Dear Ann, please sign.</p>', text });
    equal((await api.read(uri)).text, text ?? '');
    const mail = await renderMail(api, idIn(uri), 1, 0);
    if (typeof mail === 'string') throw new Error(mail);
    return mail.text;
  }

  it('is made of the HTML where none is given, white space among it', async () => {
    for (const blank of [null, '', ' ', '\n', '\r\n \t\u00A0\r\n'])
      match(await textOf(blank), /^Dear Ann, please sign\./, JSON.stringify(blank));
  });

  it('is what is given where that says anything', async () => {
    match(await textOf('\n Sign here'), /^\s*Sign here/);
  });
});
