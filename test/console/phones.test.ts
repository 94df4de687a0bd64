import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, enterAs } from '../support/console-visitor.ts';
import { idIn } from '../support/mailings.ts';

type Fields = Record<string, string | string[]>;

describe('the phones of a person, in the console', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;
  let uri: string;
  let at: string;
  let people = 0;

  before(async () => {
    api = await startApi();
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());
  beforeEach(async () => {
    const phones = [{ phone: '+1 (212) 555-0100', type: 'mobile', source: 'web' }, '555 0111'];
    uri = await api.create('user', { email: `ann${++people}@example.org`, first_name: 'Ann', phones });
    at = `/console/people/${idIn(uri)}/`;
  });

  /** Everything a browser would send of the form. */
  const formIn = (body: string): Fields => {
    const form = /<form[^>]* action="[^"]*\/edit\/"[^>]*>(.*)<\/form>/s.exec(body)![1]!;
    const fields: Record<string, string[]> = {};
    const add = (name: string, value: string) => {
      fields[name] = [...(fields[name] ?? []), value];
    };
    for (const [, attributes] of form.matchAll(/<input([^>]*)>/g)) {
      const value = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(attributes!)?.[1] ?? '';
      add(value('name'), value('value').replaceAll('&amp;', '&'));
    }
    for (const [, options] of form.matchAll(/name="phone_type">(.*?)<\/select>/gs))
      add('phone_type', /value="(\w+)" selected/.exec(options!)![1]!);
    return fields;
  };
  const form = async () => formIn((await visitor.get(`${at}edit/`)).body);
  const send = (fields: Fields) => visitor.post(`${at}edit/`, fields);
  const stored = async () =>
    Promise.all(
      (await api.read(uri)).phones.map(async (phone: string) => {
        const { phone: number, normalized_phone, type, source } = await api.read(phone);
        return [number, normalized_phone, type, source];
      }),
    );
  const FIRST = ['+1 (212) 555-0100', '+12125550100', 'mobile', 'web'];
  const SECOND = ['555 0111', '5550111', 'home', ''];

  it('are added, changed and taken away, and what stays keeps its record', async () => {
    const before = (await api.read(uri)).phones;
    const shown = await form();
    deepEqual(
      [shown['phone'], shown['phone_type']],
      [
        ['+1 (212) 555-0100', '555 0111', ''],
        ['mobile', 'home', 'home'],
      ],
    );
    const added = { ...shown, phone: ['+1 (212) 555-0100', '555 0111', ' 555 0122 '], phone_type: ['mobile', 'work', 'home_fax'] };
    equal((await send(added)).headers['location'], `${at}?done=saved`);
    deepEqual(await stored(), [FIRST, ['555 0111', '5550111', 'work', ''], ['555 0122', '5550122', 'home_fax', '']]);
    deepEqual((await api.read(uri)).phones.slice(0, 2), before);
    match((await visitor.get(at)).body, /555 0122 <small>home fax<\/small>/);

    const fewer = await form();
    equal((await send({ ...fewer, phone: ['', '555 0111', '555 0133', ''] })).statusCode, 303);
    deepEqual(await stored(), [
      ['555 0111', '5550111', 'work', ''],
      ['555 0133', '5550133', 'home_fax', ''],
    ]);
  });

  it('are let alone by a form that changes something else', async () => {
    const changed = async () =>
      (await api.pool.query('select max(updated_at) as at from core_phone where user_id = $1', [idIn(uri)])).rows[0].at;
    const before = await changed();
    equal((await send({ ...(await form()), city: 'Oakland' })).statusCode, 303);
    const { phone: _, phone_id: __, phone_type: ___, ...without } = await form();
    equal((await send({ ...without, city: 'Alameda' })).statusCode, 303);
    deepEqual([await stored(), (await api.read(uri)).city, await changed()], [[FIRST, SECOND], 'Alameda', before]);
  });

  it('are refused at their place by the rules of the API, and what was typed stays', async () => {
    const shown = await form();
    const wrong: [Fields, RegExp][] = [
      [{ phone: ['+1', 'none <b>', ''] }, /id="phone-1"[^>]*value="none &lt;b&gt;"[^>]*aria-invalid="true".*It is not a phone number\./s],
      [{ phone: ['+1', '1'.repeat(51), ''] }, /It is not a phone number/],
      [{ phone: ['+1', '1\0', ''] }, /phones must not hold a NUL character/],
      [{ phone: ['+1', '2', ''], phone_type: ['pager', 'home', 'home'] }, /It has a type that is not one of home, mobile/],
      [{ phone: ['+1', '2', ''], phone_id: ['x', '', ''] }, /It names no phone/],
      [{ phone: ['+1', '2', ''], phone_id: ['2147483647', '', ''] }, /phones refers to nothing: this user has no phone/],
      [{ phone: ['+1', '2', ''], phone_id: ['9999999999', '', ''] }, /It names no phone/],
      [{ phone: Array.from({ length: 101 }, (_, n) => `555 ${n}`) }, /phones has too many members/],
    ];
    for (const [fields, words] of wrong) {
      const answer = await send({ ...shown, ...fields });
      equal(answer.statusCode, 400, JSON.stringify(fields));
      match(answer.body, words);
    }
    deepEqual(await stored(), [FIRST, SECOND]);
    // Those of others are nobody's to take.
    const other = await api.create('user', { email: 'other@example.org', phones: ['555 0199'] });
    const theirs = idIn((await api.read(other)).phones[0]);
    equal((await send({ ...shown, phone: ['1', '2', '3'], phone_id: ['', '', String(theirs)] })).statusCode, 400);
    equal((await api.read(other)).phones.length, 1);
  });

  it('that somebody else changed meanwhile are shown, and nothing of either is lost', async () => {
    const shown = await form();
    await api.call('PATCH', uri, { phones: ['555 0144'] });
    const wrong = await send({ ...shown, phone: ['x', '555 0111', ''] });
    equal(wrong.statusCode, 409);
    match(wrong.body, /Phones<\/th><td>555 0144 \(home\)<\/td><td>x \(mobile\), 555 0111 \(home\)/);
    const late = await send({ ...shown, phone: ['555 0100', '555 0111', ''] });
    equal(late.statusCode, 409);
    equal((await send(formIn(late.body))).statusCode, 303);
    deepEqual(await stored(), [
      ['555 0100', '5550100', 'mobile', ''],
      ['555 0111', '5550111', 'home', ''],
    ]);
  });

  it('do not hide who was there meanwhile behind something else that is wrong', async () => {
    const shown = await form();
    await api.call('PATCH', uri, { city: 'Oakland' });
    const wrong = await send({ ...shown, email: 'nobody' });
    equal(wrong.statusCode, 400);
    equal((await send({ ...formIn(wrong.body), email: 'ann@example.org', city: 'Alameda' })).statusCode, 409);
    equal((await api.read(uri)).city, 'Oakland');
  });

  it('are neither shown nor taken where the account may not write people', async () => {
    const reader = await enterAs(api, 'reader', ['user:read', 'phone:read', 'phone:write']);
    const { body } = await reader.get(at);
    doesNotMatch(body, /edit\//);
    equal((await reader.post(`${at}edit/`, { ...(await form()), _csrf: reader.token({ body } as never) })).statusCode, 403);
  });

  it('are neither shown nor touched where the account may not read phones, groups and blackholed addresses not shown either', async () => {
    const group = await api.create('usergroup', { name: 'Inner circle' });
    equal((await api.call('PATCH', uri, { groups: [group] })).statusCode, 202);
    await api.create('blackholedemail', { email: (await api.read(uri)).email });
    const hidden = /555[ -]?01|Phones|phone_|Inner circle|blackholed/;
    match((await visitor.get(at)).body, hidden);
    const writer = await enterAs(api, 'writer', ['user:read', 'user:write']);
    doesNotMatch((await writer.get(at)).body, hidden);
    const { body } = await writer.get(`${at}edit/`);
    doesNotMatch(body, hidden);
    await api.call('PATCH', uri, { phones: (await api.read(uri)).phones.toReversed() });
    equal((await writer.post(`${at}edit/`, { ...formIn(body), city: 'Reno', phone: ['1'], phone_id: [''] })).statusCode, 303);
    deepEqual([(await api.read(uri)).city, await stored()], ['Reno', [FIRST, SECOND]]);
    const overtaken = await writer.post(`${at}edit/`, { ...formIn(body), city: 'Elko' });
    equal(overtaken.statusCode, 409);
    doesNotMatch(overtaken.body, hidden);
  });
});
