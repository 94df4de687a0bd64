// From nothing to a sent mailing, with a client typed by the OpenAPI document. How to make and run it: docs/tutorial.md.
import { setTimeout as sleep } from 'node:timers/promises';
import createClient from 'openapi-fetch';

const { API_URL = 'http://127.0.0.1:8480', API_USERNAME = 'admin', API_PASSWORD = 'admin-password' } = process.env;
const authorization = `Basic ${Buffer.from(`${API_USERNAME}:${API_PASSWORD}`).toString('base64')}`;
/** @type {import('openapi-fetch').Client<import('./api.d.ts').paths>} */
const client = createClient({ baseUrl: API_URL, headers: { authorization } });

/** The id in the Location of an answer to a POST; whatever was refused ends here, with the platform's words. */
function idOf({ response, error }) {
  if (response.status !== 201) throw new Error(`${response.status}: ${JSON.stringify(error)}`);
  return Number(response.headers.get('location').match(/(\d+)\/$/)[1]);
}

/** The document of a poll, once it says that it is finished. */
async function finished(ask) {
  for (;;) {
    const { data, error } = await ask();
    if (error) throw new Error(JSON.stringify(error));
    if (data.finished) return data;
    await sleep(200);
  }
}

const news = `JavaScript news ${Date.now()}`;
const list = idOf(await client.POST('/rest/v1/list/', { body: { name: news } }));
const page = `javascript-signup-${list}`;
idOf(await client.POST('/rest/v1/signuppage/', { body: { name: page, list: `/rest/v1/list/${list}/` } }));
for (const first_name of ['Ada', 'Grace']) {
  const email = `${first_name.toLowerCase()}-${list}@example.org`;
  idOf(await client.POST('/rest/v1/action/', { body: { page, email, first_name } }));
}

const id = idOf(
  await client.POST('/rest/v1/mailer/', {
    body: {
      subjects: ['Hello from JavaScript'],
      html: '<p>Hello {{ user.first_name|default:"friend" }}</p>',
      fromline: '"News" <news@example.org>',
      includes: { lists: [news] },
    },
  }),
);
const mailing = { params: { path: { id } } };
const job = idOf(await client.POST('/rest/v1/mailer/{id}/rebuild/', mailing));
const built = await finished(() => client.GET('/rest/v1/mailer/{id}/rebuild/status/{job}/', { params: { path: { id, job } } }));
console.log(`${built.results} people are in the target set`);
await client.POST('/rest/v1/mailer/{id}/queue/', mailing);
const sent = await finished(() => client.GET('/rest/v1/mailer/{id}/progress/', mailing));
console.log(`${sent.progress} of ${sent.expected_send_count} mails sent, status ${sent.status}`);
console.log((await client.GET('/rest/v1/mailer/{id}/results/', mailing)).data);
