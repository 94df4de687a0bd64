import type { TestApi } from '../../support/api.ts';

/** A request that is refused. */
export interface Request {
  method: string;
  url: string;
  body?: unknown;
  type?: string;
}

interface Described {
  type: string;
  readonly: boolean;
}

/** Nothing of these can ever be meant by a client, however lenient a field is. */
const WRONG: Record<string, unknown[]> = {
  integer: ['many', {}, 1.5, 99_999_999_999],
  number: ['many', {}],
  decimal: [{}, 'much'],
  string: [{}, ['a']],
  boolean: ['maybe', {}],
  datetime: ['soon', 7, '2030-02-31T00:00:00'],
  date: ['soon', '2030-02-31'],
  dict: ['text', [1]],
  list: ['text', {}],
  related: ['/rest/v1/nothing/1/', 987_654_321, {}],
};

const FILTERS = [
  'no_such_field=1',
  'id=many',
  'id__nonsense=1',
  'order_by=no_such_field',
  '_limit=many',
  '_offset=-1',
  'created_at__gt=soon',
];

const MAILING: [string, unknown][] = [
  ['subjects', 'one'],
  ['subjects', []],
  ['subjects', [{}]],
  ['preview_text', [1]],
  ['html', '{{ user.first_name'],
  ['html', '{% if %}'],
  ['text', '{{ 7|nothing }}'],
  ['fromline', 'nobody'],
  ['fromline', {}],
  ['reply_to', 'a b'],
  ['emailwrapper', 'none'],
  ['lang', 987_654],
  ['landing_page', '/rest/v1/page/987654/'],
  ['notes', {}],
  ['tags', 'one'],
  ['fields', 7],
  ['limit', 0],
  ['limit', 'many'],
  ['sort_by', 'height'],
  ['mails_per_second', 0],
  ['mails_per_second', -1],
  ['reviewers', ['nobody']],
  ['proof_users', [{}]],
  ['requested_proofs', 101],
  ['submitter', 1],
  ['submitter', '/rest/v1/authuser/987654/'],
  ['scheduled_for', 'soon'],
  ['target_mergefile', true],
  ['target_group_from_landing_page', true],
  ['mistyped', 1],
  ['includes', 'everybody'],
  ['includes', { mistyped: 1 }],
  ['includes', { lists: ['No such list'] }],
  ['includes', { lists: 'News' }],
  ['includes', { tags: ['No such tag'] }],
  ['includes', { actions: [987_654] }],
  ['includes', { states: ['Bavaria'] }],
  ['includes', { cds: ['NY-1'] }],
  ['includes', { state_house_districts: ['NY_1'] }],
  ['includes', { has_donated: 'maybe' }],
  ['includes', { zip_radius: 501 }],
  ['includes', { zips: ['nowhere at all'], zip_radius: 5 }],
  ['includes', { was_monthly_donor: ['often'] }],
  ['includes', { raw_sql: ['delete from core_user'] }],
  ['includes', { raw_sql: ['select'] }],
  ['includes', { query_reports: [{ short_name: 'none' }] }],
  ['includes', { campaigns: ['None'] }],
  ['includes', { users: ['nobody'] }],
  ['includes', { target_groups: ['none'] }],
  ['includes', { languages: ['Klingon'] }],
  ['excludes', { mailings: [987_654] }],
];

const PUSH = {
  donationpage: { name: 'give' },
  order: { amount: '10.00', card_num: '4111', card_code: '007', exp_date_month: '12', exp_date_year: '2030' },
  user: { email: 'ann@example.org', first_name: 'Ann' },
};
const pushWith = (part: keyof typeof PUSH, more: object) => ({ ...PUSH, [part]: { ...PUSH[part], ...more } });

const DONATIONS: [string, unknown][] = [
  ['donationpush', {}],
  ['donationpush', []],
  ['donationpush', { ...PUSH, order: undefined }],
  ['donationpush', { ...PUSH, user: {} }],
  ['donationpush', { ...PUSH, donationpage: {} }],
  ['donationpush', pushWith('donationpage', { name: 'two words' })],
  ['donationpush', pushWith('donationpage', { payment_account: 'none' })],
  ['donationpush', pushWith('order', { amount: 'much' })],
  ['donationpush', pushWith('order', { amount: '-1.00' })],
  ['donationpush', pushWith('order', { card_code: '123' })],
  ['donationpush', pushWith('order', { exp_date_month: '13' })],
  ['donationpush', pushWith('order', { exp_date_year: '30' })],
  ['donationpush', pushWith('order', { currency: 'dollars' })],
  ['donationpush', pushWith('order', { orderdetails: [{}] })],
  ['donationpush', pushWith('order', { orderdetails: 'all' })],
  ['donationpush', pushWith('order', { created_at: 'soon' })],
  ['donationpush', pushWith('order', { recurring_id: 'r1', recurring_period: 'moons' })],
  ['donationpush', pushWith('user', { email: 'nobody' })],
  ['donationpush', pushWith('user', { lists: 'all' })],
  ['donationpush', pushWith('user', { fields: 'none' })],
  ['recurringpaymentpush', {}],
  ['recurringpaymentpush', { order_id: 987_654 }],
  ['recurringpaymentpush', { recurring_id: 'none', success: 'maybe' }],
  ['recurringpaymentpush', { recurring_id: 'none', status: 'lost' }],
  ['profileupdatepush', {}],
  ['profileupdatepush', { order_id: 'many' }],
  ['profileupdatepush', { recurring_id: 'none', exp_date: '1' }],
  ['profileupdatepush', { recurring_id: 'none', recurring_period: 'moons' }],
  ['profilecancelpush', {}],
  ['profilecancelpush', { recurring_id: 'none' }],
  ['profilecancelpush', { recurring_id: 'none', canceled_by: 'weather' }],
];

const ELSEWHERE: Request[] = [
  ...[
    {},
    { page: 'join' },
    { page: 'none', email: 'ann@example.org' },
    { page: 'join', email: 'nobody' },
    { page: 'join', akid: '.1.aaaaaa' },
    [],
  ].map((body) => ({
    method: 'POST',
    url: '/rest/v1/action/',
    body,
  })),
  { method: 'POST', url: '/rest/v1/action/', body: { page: 'join', email: 'ann@example.org', lists: ['many'] } },
  { method: 'POST', url: '/rest/v1/action/', body: { page: 'join', email: 'ann@example.org', opt_in: 'maybe' } },
  { method: 'POST', url: '/rest/v1/usermerge/', body: {} },
  { method: 'POST', url: '/rest/v1/usermerge/', body: { primary_user: 987_654, users: [1] } },
  { method: 'POST', url: '/rest/v1/usermerge/', body: { primary_user: 'nobody', users: 'all' } },
  { method: 'POST', url: '/rest/v1/eraser/', body: {} },
  { method: 'POST', url: '/rest/v1/eraser/', body: { user_id: 1, email: 'ann@example.org' } },
  { method: 'POST', url: '/rest/v1/eraser/', body: { user_id: 987_654 } },
  { method: 'POST', url: '/rest/v1/user/1/logintoken/', body: { ttl: 0 } },
  { method: 'POST', url: '/rest/v1/user/1/logintoken/', body: { ttl: 'long' } },
  { method: 'POST', url: '/rest/v1/user/987654/logintoken/', body: {} },
  { method: 'POST', url: '/rest/v1/crmmap/', body: { user_id: 1 } },
  { method: 'POST', url: '/rest/v1/crmmap/1/sync_user/' },
  { method: 'POST', url: '/rest/v1/mailer/1/queue/' },
  { method: 'POST', url: '/rest/v1/mailer/1/stop/' },
  { method: 'POST', url: '/rest/v1/mailer/1/proofs/', body: { proofs: 1 } },
  { method: 'POST', url: '/rest/v1/mailer/1/proofs/', body: { proofs: 101, reviewers: ['ann@example.org'] } },
  { method: 'POST', url: '/rest/v1/mailer/1/proofs/', body: { proofs: 'many', reviewers: 'ann' } },
  { method: 'POST', url: '/rest/v1/mailer/1/copy/', body: { targeting: 'maybe' } },
  { method: 'POST', url: '/rest/v1/mailer/1/rebuild/', body: { fast_rebuild: {} } },
  { method: 'POST', url: '/rest/v1/mailer/987654/queue/' },
  { method: 'GET', url: '/rest/v1/mailer/987654/progress/' },
  { method: 'PATCH', url: '/rest/v1/mailer/1/', body: {} },
  { method: 'PATCH', url: '/rest/v1/mailer/1/', body: { targeting_version: 99, notes: 'x' } },
  { method: 'GET', url: '/rest/v1/report/run/sql/' },
  { method: 'GET', url: '/rest/v1/report/run/sql/?query=drop+table+core_user' },
  { method: 'GET', url: '/rest/v1/report/run/sql/?query=select+%7B%7B+name+%7D%7D' },
  { method: 'GET', url: '/rest/v1/report/run/no_such_report/' },
  { method: 'POST', url: '/rest/v1/report/background/no_such_report/', body: {} },
  { method: 'GET', url: '/rest/v1/backgroundtask/987654/' },
  { method: 'GET', url: '/rest/v1/userpublic/.1.aaaaaa/' },
  { method: 'GET', url: '/view/1.1.aaaaaa' },
  { method: 'POST', url: '/unsubscribe/?akid=1.1.aaaaaa' },
  { method: 'GET', url: '/rest/v1/no_such_resource/' },
  { method: 'DELETE', url: '/rest/v1/user/' },
  { method: 'POST', url: '/rest/v1/user/', body: '{"email": ', type: 'application/json' },
  { method: 'POST', url: '/rest/v1/user/', body: 'email', type: 'text/csv' },
  { method: 'POST', url: '/rest/v1/user/', body: [] },
  { method: 'POST', url: '/rest/v1/user/', body: { email: 'known@example.org' } },
  { method: 'POST', url: '/rest/v1/order/987654/reverse/' },
  { method: 'POST', url: '/rest/v1/orderrecurring/987654/cancel/' },
];

/** At least one refused request for every field that can be written and every filter, over all resources. */
export async function refusedRequests(api: TestApi): Promise<Request[]> {
  const index = Object.keys(await api.read('/rest/v1/'));
  const requests: Request[] = [];
  for (const name of index.filter((each) => each !== 'mailer')) {
    const { fields, allowed_list_http_methods: offered } = await api.read(`/rest/v1/${name}/schema/`);
    const url = `/rest/v1/${name}/`;
    requests.push({ method: 'GET', url: `${url}987654/` }, { method: 'PATCH', url: `${url}987654/`, body: {} });
    requests.push(
      ...FILTERS.slice(requests.length % 3, (requests.length % 3) + 3).map((filter) => ({ method: 'GET', url: `${url}?${filter}` })),
    );
    if (!offered.includes('post')) continue;
    requests.push({ method: 'POST', url, body: {} });
    for (const [field, { type, readonly }] of Object.entries(fields as Record<string, Described>)) {
      if (readonly) continue;
      const wrong = WRONG[type] ?? [];
      const value = wrong[requests.length % wrong.length];
      if (wrong.length) requests.push({ method: 'POST', url, body: { [field]: value } });
    }
  }
  const minimal = { subjects: ['Hello'], html: '<p>Hello</p>', fromline: '"News" <news@example.org>' };
  requests.push({ method: 'POST', url: '/rest/v1/mailer/', body: {} });
  for (const [field, value] of MAILING) requests.push({ method: 'POST', url: '/rest/v1/mailer/', body: { ...minimal, [field]: value } });
  for (const [push, body] of DONATIONS) requests.push({ method: 'POST', url: `/rest/v1/${push}/`, body });
  return [...requests, ...ELSEWHERE];
}
