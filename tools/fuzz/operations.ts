import type { How } from './send.ts';

/** One way to write something: a body as the document has it, of which each call makes one of its own. */
export interface Operation {
  method: string;
  path: string;
  body?: unknown;
  how?: How;
}

/** As far as it is read here. */
export interface ApiDocument {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { example?: unknown; examples?: object }> } }>>;
}

/** What goes other ways (other-ways.ts), or nowhere as its example has it. */
const LEFT_OUT = /bounce|upload|mergefile|report\/run|eraser|usermerge|crmmap|unsubscribe\/$|whipcount\/\{/;

const at = (type: string) => `/rest/v1/${type}/1/`;
const ada = { email: 'ada@example.org' };

/** What somebody does on each kind of page, in three ways. */
const ACTIONS = ['join', 'save-the-forest', 'leave', 'host', 'come', 'import'].flatMap((page) =>
  [{}, { lists: [1, 2] }, { user_last_name: 'Lovelace', action_comment: 'Yes' }].map((more) => ({
    ...ada,
    page,
    zip: '10001',
    event_id: 1,
    event_title: 'A walk',
    event_starts_at: '2030-05-01T18:00:00',
    event_zip: '10001',
    ...more,
  })),
);

/** What the examples leave out, and numbers are derived of. */
const POSTED: [path: string, body: object][] = [
  ...ACTIONS.map((body): [string, object] => ['action/', body]),
  ['action/', { ...ada, page: 'leave', mailing_id: 1 }],
  ['action/', { ...ada, page: 'join', mailing_id: 1, source: 'a-mail' }],
  ['subscription/', { user: at('user'), list: at('list') }],
  [
    'donationpush/',
    {
      donationpage: { name: 'give' },
      user: ada,
      action: { mailing_id: 1 },
      order: {
        amount: '10.00',
        recurring_id: 'profile-1001',
        recurring_period: 'months',
        card_num: '4111111111111111',
        exp_date_month: '12',
        exp_date_year: '2030',
        card_code: '123',
      },
    },
  ],
];

const CHANGED: [type: string, body: object][] = [
  ['action', { page: at('page'), mailing: at('mailing'), source: 'a-friend' }],
  ['action', { mailing: at('mailing') }],
  ['action', { user: at('user') }],
  ['order', { action: at('action') }],
  ['order', { total: '7.00', currency: 'USD', status: 'completed' }],
  ['order', { status: 'failed' }],
  ['transaction', { order: at('order'), status: 'completed', success: true, created_at: '2030-01-02T03:04:05' }],
  ['eventfield', { event: at('event'), name: 'kind' }],
  ['page', { list: at('list'), tags: [at('tag'), at('tag')], required_fields: [], fields: { colour: 'green' } }],
  [
    'mailer',
    {
      includes: { lists: [at('list')], users: [at('user'), at('user')], tags: [] },
      excludes: { mailings: [at('mailing')] },
      subjects: ['Good news', 'Hello'],
      fromline: at('fromline'),
      emailwrapper: at('emailwrapper'),
      tags: [at('tag')],
      lang: at('language'),
      reviewers: ['ada@example.org', 'bob@example.org'],
    },
  ],
];

/** So often are those, beside all the examples, that they meet each other. */
const OFTEN = 3;

/** Every operation that writes, with the examples of its document; PUT and PATCH with those of POST as well. */
export function operationsOf(document: ApiDocument): Operation[] {
  const examples = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== 'get' && !LEFT_OUT.test(path))
      .map(([method, { requestBody }]): Operation => {
        const content = requestBody?.content['application/json'];
        const body = content?.example ?? Object.values(content?.examples ?? {})[0]?.value;
        return { method: method.toUpperCase(), path, ...(body !== undefined && { body }) };
      }),
  );
  const more = [
    ...POSTED.map(([path, body]): Operation => ({ method: 'POST', path: `/rest/v1/${path}`, body })),
    ...CHANGED.map(([type, body]): Operation => ({ method: 'PATCH', path: `/rest/v1/${type}/{id}/`, body })),
    { method: 'POST', path: '/whipcount/call-the-house/', body: { ...ada, zip: '94110', 'response-1': 'supportive' } },
  ];
  const whole = examples.flatMap(({ method, path }): Operation[] => {
    if (method !== 'PUT' && method !== 'PATCH') return [];
    const made = examples.find((other) => other.method === 'POST' && other.path === path.replace('{id}/', ''));
    return made?.body === undefined ? [] : [{ method, path, body: made.body }];
  });
  return [...examples, ...Array.from({ length: OFTEN }, () => more).flat(), ...whole];
}
