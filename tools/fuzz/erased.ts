import type pg from 'pg';
import type { Objects } from './objects.ts';
import { csv, failed } from './other-ways.ts';
import type { Answer, Call, Kind, Send } from './send.ts';

/** Somebody whose erasure was taken, and what came at once with it. */
interface Erased {
  tag: string;
  /** They were to be merged into somebody else at the same time. */
  merged: boolean;
  userId: number;
  calls: readonly Call[];
}

const ALL = { order_user_details: true, user_fields: true, action_fields: true, transactional_mailings: true };

/** Older than those that are written to, and so there for long. */
const PAGES = { join: 'erased-join', give: 'erased-give', import: 'erased-import' };

/** What people who are erased have no more. */
const HAVE_NOT: Record<string, string> = {
  phone: 'core_phone x on x.user_id = u.id',
  field: 'core_userfield x on x.parent_id = u.id',
  subscription: 'core_subscription x on x.user_id = u.id',
};

/** People of whom much is written, each with a word of their own in everything, who are erased while more is. */
export class Erasures {
  readonly #objects: Objects;
  readonly #random: () => number;
  readonly #erased: Erased[] = [];
  #count = 0;

  constructor(objects: Objects, random: () => number) {
    this.#objects = objects;
    this.#random = random;
  }

  /** Whose erasure was taken. */
  get taken(): number {
    return this.#erased.length;
  }

  /** What they act and give on, at first and when it was deleted. */
  async makePages(send: Send): Promise<void> {
    await send('POST', '/rest/v1/paymentaccount/', { name: 'Erased', currency: 'USD' });
    await send('POST', '/rest/v1/signuppage/', { name: PAGES.join });
    await send('POST', '/rest/v1/importpage/', { name: PAGES.import, list: '/rest/v1/list/1/' });
    await send('POST', '/rest/v1/donationpage/', { name: PAGES.give, payment_account: '/rest/v1/paymentaccount/1/' });
  }

  /** One more. @param send notes what it calls in `calls` */
  async eraseOne(send: Send, calls: readonly Call[]): Promise<void> {
    const tag = `gone${++this.#count}x`;
    const email = `${tag}@example.org`;
    const post = (type: string, body: object) => send('POST', `/rest/v1/${type}/`, body);
    const action = await post('action', {
      page: PAGES.join,
      email,
      first_name: tag,
      last_name: tag,
      zip: '10001',
      address1: tag,
      phone: '212 555 0100',
      user_shoe: tag,
      action_say: tag,
    });
    const found = JSON.parse((await send('GET', `/rest/v1/user/?email=${email}`)).body) as {
      objects?: { id: number; resource_uri: string }[];
    };
    const user = found.objects?.[0];
    if (!user) return this.makePages(send);
    const event = `/rest/v1/event/${this.#objects.idOf('event')}/`;
    const push = { donationpage: { name: PAGES.give }, user: { email, first_name: tag, last_name: tag, address1: tag } };
    const paid = {
      amount: '10.00',
      import_id: tag,
      card_num: '4111111111111111',
      exp_date_month: '12',
      exp_date_year: '2030',
      card_code: '123',
    };
    const made = await Promise.all([
      post('phone', { user: user.resource_uri, phone: '212 555 0199', type: 'mobile' }),
      post('userfield', { parent: user.resource_uri, name: 'hat', value: tag }),
      post('usergeofield', { user: user.resource_uri, name: 'ward', value: tag }),
      post('donationpush', { ...push, action: { action_note: tag }, order: paid }),
      post('donationpush', { ...push, order: { amount: `many ${tag}` } }),
      post('eventsignup', { user: user.resource_uri, event }),
      post('subscription', { user: user.resource_uri, list: `/rest/v1/list/${this.#objects.idOf('list')}/` }),
    ]);
    const merged = this.#random() < 0.3;
    const writes = this.#writesOf(send, {
      tag,
      user,
      event,
      action: action.location,
      made: made.map(({ location }) => location).filter(Boolean),
    });
    const merge = { primary_user: 1, users: [user.id], address_user: 1, source_user: 1 };
    let erasure: Answer | undefined;
    const jobs: (() => Promise<unknown>)[] = [
      async () => (erasure = await post('eraser', { user_id: user.id, ...ALL })),
      ...(merged ? [() => post('usermerge', merge)] : []),
      ...(this.#random() < 0.15 ? [() => send('DELETE', user.resource_uri)] : []),
      ...Array.from({ length: 12 }, () => this.#objects.pick(writes)),
    ];
    // In any order.
    const order = jobs.map((job) => ({ job, at: this.#random() })).sort((a, b) => a.at - b.at);
    await Promise.all(order.map(({ job }) => job()));
    if (erasure && erasure.status < 400) this.#erased.push({ tag, merged, userId: user.id, calls });
  }

  /** Everything that may be written of them once more. */
  #writesOf(
    send: Send,
    {
      tag,
      user,
      event,
      action,
      made,
    }: { tag: string; user: { id: number; resource_uri: string }; event: string; action: string; made: string[] },
  ) {
    const uri = user.resource_uri;
    const post = (type: string, body: object) => () => send('POST', `/rest/v1/${type}/`, body);
    const patch = (path: string, body: object) => () => send('PATCH', path, body);
    const sent = (type: string, body: object | string, kind: Kind) => () =>
      send('POST', `/rest/v1/${type}/`, typeof body === 'string' ? this.#objects.fill(body, user.id) : body, { kind });
    const changeOf = (path: string) => {
      if (path.includes('/order/')) return { status: 'failed' };
      if (/\/user(geo)?field\//.test(path)) return { value: tag };
      if (path.includes('/eventsignup/')) return { status: 'cancelled', fields: { diet: tag } };
      return path.includes('/phone/') ? { phone: '212 555 0142' } : { status: 'complete', fields: { comment: tag } };
    };
    return [
      patch(uri, { first_name: tag, address1: tag }),
      patch(uri, { fields: { hat: tag, coat: tag } }),
      post('phone', { user: uri, phone: `+44 20 7946 0${100 + this.#count}`, type: 'home' }),
      post('userfield', { parent: uri, name: 'scarf', value: tag }),
      post('usergeofield', { user: uri, name: 'city', value: tag }),
      post('event', {
        campaign: `/rest/v1/campaign/${this.#objects.idOf('campaign')}/`,
        creator: uri,
        title: 'A walk',
        fields: { note: tag },
      }),
      post('eventsignup', { user: uri, event, fields: { diet: tag } }),
      post('partnerusermap', { user_id: user.id, partner_contact_id: 900_000 + this.#count }),
      post('crmmap', { user_id: user.id }),
      post(`user/${user.id}/logintoken`, { ttl: 3600 }),
      post('mailer', { subjects: ['Hello'], html: '<p>Hello</p>', fromline: '"Ann" <ann@example.org>', reviewers: [uri] }),
      post('report/background/people_in', { state: `${tag}@example.org`, email_to: `${tag}@example.org` }),
      post('report/run/sql', { query: `select id, email, first_name, pg_sleep(0.1) from core_user where email like '${tag}%'` }),
      post(`mailer/${this.#objects.idOf('mailing')}/proofs`, { proofs: 1, reviewers: [`${tag}@example.org`], proof_users: [uri] }),
      sent(
        'upload',
        { page: PAGES.import, upload: csv('email,first_name,user_hat,action_say', `${tag}@example.org,${tag},${tag},${tag}`) },
        'files',
      ),
      sent('upload', { page: PAGES.import, upload: csv('user_id,email,last_name', `${user.id},,${tag}`, `,${tag}@example.org,`) }, 'files'),
      sent('mergefile', { file: csv('email,word', `${tag}@example.org,${tag}`) }, 'files'),
      sent('bounce', failed('4.2.2', { email: `${tag}@example.org`, said: `no room for ${tag}@example.org` }), 'message/rfc822'),
      () => send('GET', this.#objects.fill('/click/%akid%/0', user.id)),
      () => send('POST', this.#objects.fill('/unsubscribe/?akid=%akid%', user.id)),
      () => post('action', { page: PAGES.join, akid: this.#objects.fill('%akid%', user.id), action_say: tag })(),
      ...(action ? [post('actionfield', { parent: action, name: 'later', value: tag }), patch(action, { fields: { comment: tag } })] : []),
      ...made.map((path) => patch(path, changeOf(path))),
    ];
  }

  /** What is left of them in any column of text: where, and what came at once with the erasure. */
  async left(pool: pg.Pool): Promise<{ what: string; calls: readonly Call[] }[]> {
    const { rows: columns } = await pool.query<{ table: string; column: string; type: string }>(
      `select table_name as table, column_name as column, data_type as type
        from information_schema.columns join information_schema.tables t using (table_schema, table_name)
        where table_schema = 'public' and t.table_type = 'BASE TABLE' and data_type in ('text', 'jsonb', 'json', 'ARRAY', 'character varying', 'bytea')`,
    );
    const text = columns
      .map(({ table, column, type }) => {
        const read = type === 'bytea' ? `encode("${column}", 'escape')` : `"${column}"::text`;
        return `select distinct '${table}.${column}' as place, lower(word[1]) as tag from "${table}", regexp_matches(${read}, 'gone\\d+x', 'gi') as word`;
      })
      .join(' union all ');
    const { rows } = await pool.query<{ place: string; tag: string }>(text);
    const { rows: done } = await pool.query<{ user_id: number }>(`select user_id from core_erasure where status = 'complete'`);
    const ids = new Set(done.map(({ user_id }) => user_id));
    const words = rows.flatMap(({ place, tag }) => {
      const of = this.#erased.find((each) => each.tag === tag && ids.has(each.userId));
      return of ? [{ what: `${tag}, who was erased${of.merged ? ' and merged' : ''}, is left in ${place}`, calls: of.calls }] : [];
    });
    const owned = Object.entries(HAVE_NOT).map(async ([what, join]) => {
      const { rows } = await pool.query<{ id: number }>(
        `select u.id from core_user u join ${join} where u.email like 'erased-%@erased.invalid' limit 1`,
      );
      return rows.map(({ id }) => ({ what: `user ${id}, who was erased, has a ${what}`, calls: [] }));
    });
    return [...words, ...(await Promise.all(owned)).flat()];
  }
}
