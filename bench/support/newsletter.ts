import type { MailingContent, Recipient } from '../../mail/contracts.ts';

const paragraph = 'Words of a real newsletter, about as long as people write them when they care. ';

/** A mailing like many: a greeting, a condition, a few paragraphs, links; about 3.5 KB on the wire. */
export const newsletter: MailingContent = {
  mailingId: 7,
  subjects: ['{{ user.first_name|default:"Friend" }}, your senators vote tomorrow', 'Tomorrow they vote'],
  previewTexts: ['One call changes more than a hundred mails'],
  html: `<!doctype html>
<html><head><title>News</title></head><body>
<h1>Dear {{ user.first_name|capfirst|default:"friend" }},</h1>
<p>${paragraph.repeat(6)}</p>
{% if user.city and user.state != "DC" %}<p>The people of {{ user.city }}, {{ user.state }} are many. ${paragraph}</p>
{% else %}<p>${paragraph}</p>
{% endif %}
<p>${paragraph.repeat(6)}</p>
<p><a href="https://campaign.example/act/call/?akid={{ akid }}">Call now</a></p>
<p>With thanks,<br>all of us</p>
<p><a href="{{ unsubscribe_link }}">Unsubscribe</a></p>
</body></html>
`,
  text: '',
  from: '"Campaign" <news@campaign.example>',
  replyTo: '',
  wrapper: null,
  fields: {},
  language: 'en',
  pretendDate: null,
};

const FIRST = ['Ada', 'Grace', 'Zoë', 'Pat', "D'Arcy", 'Maximilian', '', 'Linus'];
const CITY = ['Springfield', 'Boston', 'San José', 'Coeur d’Alene', ''];

/** @param n from 1 */
export const recipient = (n: number): Recipient => ({
  user_id: n,
  position: n,
  email: `person.${n}@example.org`,
  first_name: FIRST[n % FIRST.length],
  city: CITY[n % CITY.length],
  state: n % 50 === 0 ? 'DC' : 'MA',
});
