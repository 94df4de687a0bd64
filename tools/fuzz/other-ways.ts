import type { Operation } from './operations.ts';
import type { How } from './send.ts';

// What no example of the document shows: files, mails that come back, links of mails, accounts that are changed meanwhile. `%akid%` stands for that of somebody in a mail, `%return%`
// for what stands in an address of ours between + and @, `%new%` for a word nobody had (objects.ts).

const at = (type: string) => `/rest/v1/${type}/1/`;
/** A file of people in a form. */
export const csv = (...lines: string[]) => ({ filename: 'people.csv', content: lines.join('\n') });
const ANYBODY: How = { headers: { authorization: '', 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/150.0' } };

const upload = (content: object, more: object = {}): Operation => ({
  method: 'POST',
  path: '/rest/v1/upload/',
  body: { page: at('importpage'), upload: content, ...more },
  how: { kind: 'files' },
});

const UPLOADS: Operation[] = [
  upload(
    csv('email,first_name,user_shoe,action_say', 'ada@example.org,Ada,37,yes', 'bob@example.org,Bob,,no', 'person.1@example.org,Al,40,'),
  ),
  upload(
    csv('email,phone,zip,name', 'cyd@example.org,212 555 0100,10001,Cyd C', 'new%new%@example.org,,,', 'ada@example.org,,94110,Ada L'),
  ),
  upload(csv('email,user_shirt_size%new%', 'bob@example.org,M', 'ada@example.org,L', 'nobody,x'), { autocreate_user_fields: 'true' }),
  upload(csv('akid,user_shoe', '%akid%,38', '%akid%,39'), { user_fields_only: 'true' }),
  { method: 'POST', path: '/rest/v1/upload/{id}/stop/' },
];

const MERGEFILES: Operation[] = [
  {
    method: 'POST',
    path: '/rest/v1/mergefile/',
    body: { name: 'shoes', file: csv('email,size', 'ada@example.org,37', 'person.2@example.org,40', 'person.3@example.org,41') },
    how: { kind: 'files' },
  },
  { method: 'PATCH', path: '/rest/v1/mergefile/{id}/', body: { name: 'sizes%new%' } },
  { method: 'DELETE', path: '/rest/v1/mergefile/{id}/' },
  { method: 'PATCH', path: '/rest/v1/mailer/{id}/', body: { mergefile: at('mergefile'), html: '<p>Size {{ row.size|default:"?" }}</p>' } },
  { method: 'PATCH', path: '/rest/v1/mailer/{id}/', body: { mergefile: at('mergefile'), target_mergefile: true } },
  { method: 'PATCH', path: '/rest/v1/mailer/{id}/', body: { mergefile: null, target_mergefile: false } },
];

const returned = (body: string): Operation => ({ method: 'POST', path: '/rest/v1/bounce/', body, how: { kind: 'message/rfc822' } });
const report = (type: string, to: string, said: string, about: string) =>
  `From: Mail Delivery <mailer-daemon@relay.example>
To: ${to}@campaign.localhost
Message-ID: <%new%@relay.example>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=${type}; boundary="b"

--b
Content-Type: message/${type}

${said}
--b
Content-Type: message/rfc822

${about}
--b--
`.replaceAll('\n', '\r\n');
/** A bounce. @param to what stands before the @ of the address it comes to */
export const failed = (status: string, { to = 'bounce+%return%', email = 'ada@example.org', said = 'unknown user' } = {}) =>
  report(
    'delivery-status',
    to,
    `Reporting-MTA: dns; relay.example\n\nFinal-Recipient: rfc822; ${email}\nAction: failed\nStatus: ${status}\nDiagnostic-Code: smtp; 550 ${said}\n`,
    'Subject: Hello\n\nHello',
  );

const RETURNED: Operation[] = [
  returned(failed('5.1.1')),
  returned(failed('4.2.2')),
  returned(failed('4.2.2')),
  returned(
    report('feedback-report', 'abuse', 'Feedback-Type: abuse\nVersion: 1\n', 'Return-Path: <bounce+%return%@campaign.localhost>\n\nHello'),
  ),
  returned('From: ada@example.org\r\nTo: unsubscribe+%return%@campaign.localhost\r\nSubject: unsubscribe\r\n\r\nunsubscribe\r\n'),
];

const LINKS: Operation[] = [
  { method: 'POST', path: '/unsubscribe/?akid=%akid%', body: { 'List-Unsubscribe': 'One-Click' }, how: { kind: 'form', ...ANYBODY } },
  ...[
    '/unsubscribe/?akid=%akid%',
    '/open/%akid%.gif',
    '/click/%akid%/0',
    '/click/%akid%/1',
    '/view/%akid%',
    '/rest/v1/userpublic/%akid%/',
  ].map((path): Operation => ({ method: 'GET', path, how: ANYBODY })),
  ...['join', 'leave', 'save-the-forest'].map(
    (page): Operation => ({
      method: 'POST',
      path: '/rest/v1/action/',
      body: { page, akid: '%akid%', zip: '10001', action_comment: 'From a mail', phone: '212 555 0100' },
      how: { kind: 'form', ...ANYBODY },
    }),
  ),
];

const OTHERS: Operation[] = [
  {
    method: 'POST',
    path: '/rest/v1/usermerge/',
    body: { primary_user: at('user'), users: [at('user')], address_user: at('user'), source_user: at('user') },
  },
  {
    method: 'POST',
    path: '/rest/v1/eraser/',
    body: { user_id: 1, order_user_details: true, user_fields: true, action_fields: true, transactional_mailings: true },
  },
  { method: 'POST', path: '/rest/v1/crmmap/', body: { user_id: 1 } },
  { method: 'POST', path: '/rest/v1/crmmap/{id}/sync_user/' },
  { method: 'POST', path: '/rest/v1/crmmap/{id}/disconnect_user/' },
  {
    method: 'POST',
    path: '/rest/v1/report/run/sql/',
    body: { query: 'select u.email, count(*) from core_user u join core_action a on a.user_id = u.id group by 1' },
  },
  { method: 'POST', path: '/rest/v1/report/run/{short_name}/', body: { state: 'CA' } },
  { method: 'POST', path: '/rest/v1/report/background/{short_name}/', body: { state: 'CA', email_to: 'ada@example.org', format: 'json' } },
  { method: 'PATCH', path: '/rest/v1/queryreport/{id}/', body: { sql: 'select id from core_user where email like {state} or id > 0' } },
  {
    method: 'PATCH',
    path: '/rest/v1/webhook/{id}/',
    body: { active: true, events: ['action', 'donation', 'unsubscribe', 'bounce', 'complaint', 'mailing.completed', 'mailing.stopped'] },
  },
  { method: 'PATCH', path: '/rest/v1/webhook/{id}/', body: { active: false } },
  { method: 'PATCH', path: '/rest/v1/recurringschedule/{id}/', body: { active: false } },
  { method: 'PATCH', path: '/rest/v1/recurringschedule/{id}/', body: { active: true, hour: 10 } },
  { method: 'PATCH', path: '/rest/v1/authuser/{id}/', body: { is_superuser: true, is_active: true, password: 'a-long-password' } },
  { method: 'PATCH', path: '/rest/v1/authuser/{id}/', body: { is_superuser: false, groups: [at('authgroup')] } },
  { method: 'PATCH', path: '/rest/v1/authuser/{id}/', body: { is_active: false } },
];

/** So often are those, beside the examples. */
const OFTEN = 2;

export const otherWays = (): Operation[] => {
  const all = [...UPLOADS, ...MERGEFILES, ...RETURNED, ...LINKS, ...OTHERS];
  return Array.from({ length: OFTEN }, () => all).flat();
};
