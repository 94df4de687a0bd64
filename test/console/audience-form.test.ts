import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { audienceIn, filled, hidden } from '../support/audience-form.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';
import { buildSet, idIn, makeReady, READY, setMailing } from '../support/mailings.ts';

describe('the form of an audience', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;
  let uri: string;
  let at: string;

  before(async () => {
    api = await startApi();
    for (const name of ['News', 'Walkers']) await api.create('list', { name });
    await api.pool.query(`insert into core_tag (name) values ('spring')`);
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  beforeEach(async () => {
    uri = await api.create('mailer', {
      ...READY,
      includes: { lists: ['News'], states: ['NY'], was_monthly_donor: ['active'], raw_sql: ['select id as user_id from core_user'] },
      excludes: { tags: ['spring'], has_donated: true, zips: ['10001'], zip_radius: 5 },
      limit: 7,
      sort_by: 'zip',
    });
    at = `/console/mailings/${idIn(uri)}/choose/`;
  });

  const open = async () => (await visitor.get(at)).body;
  const saved = async () => {
    const { includes, excludes, limit, sort_by } = await api.read(uri);
    return { includes, excludes, limit, sort_by };
  };

  /** Everything other than it is stored; what is not named was emptied. */
  const MINE = {
    'includes.lists': ['2'],
    'includes.states': ['CA, OR'],
    'includes.counties': ['Albany & <Troy>'],
    'excludes.has_donated': ['no'],
    'excludes.was_monthly_donor': ['any'],
    limit: ['100'],
    sort_by: ['random'],
  };
  const AS_MINE = {
    includes: { lists: ['Walkers'], states: ['CA', 'OR'], counties: ['Albany & <Troy>'] },
    excludes: { has_donated: false, was_monthly_donor: ['any'] },
    limit: 100,
    sort_by: 'random',
  };

  it('shows what is stored, and leaves it as it is when it is saved untouched', async () => {
    const before = await saved();
    const page = await open();
    deepEqual(audienceIn(page), {
      'includes.lists': ['1'],
      'includes.states': ['NY'],
      'includes.was_monthly_donor': ['active'],
      'includes.raw_sql': ['select id as user_id from core_user'],
      'excludes.tags': ['1'],
      'excludes.has_donated': ['yes'],
      'excludes.zips': ['10001'],
      'excludes.zip_radius': ['5'],
      limit: ['7'],
      sort_by: ['zip'],
    });
    equal((await visitor.post(at, filled(page))).statusCode, 303);
    deepEqual(await saved(), before);
  });

  it('shows all of what was sent when it is refused, emptied fields empty, and saves that once it is put right', async () => {
    const before = await saved();
    const wrong = { ...MINE, 'includes.states': ['California'] };
    const refused = await visitor.post(at, { ...hidden(await open()), ...wrong });
    equal(refused.statusCode, 400);
    match(refused.body, /two-letter/);
    deepEqual(audienceIn(refused.body), wrong);
    deepEqual(await saved(), before);
    const again = await visitor.post(at, { ...filled(refused.body), 'includes.states': ['CA, OR'] });
    equal(again.statusCode, 303, again.body);
    deepEqual(await saved(), AS_MINE);
  });

  it('shows a limit as it was typed, at which it was refused, and the places a radius is missing', async () => {
    const endless = await visitor.post(at, { ...hidden(await open()), limit: '-3', sort_by: 'random' });
    equal(endless.statusCode, 400);
    deepEqual(audienceIn(endless.body), { limit: ['-3'], sort_by: ['random'] });
    match(endless.body, /id="limit"[^>]*aria-invalid="true"/);
    const nowhere = await visitor.post(at, { ...hidden(await open()), 'includes.zip_radius': '25' });
    equal(nowhere.statusCode, 400);
    deepEqual(audienceIn(nowhere.body), { 'includes.zip_radius': ['25'] });
    match(nowhere.body, /<details open><summary>Places<\/summary>/);
    const everybody = await visitor.post(at, { ...hidden(await open()), 'excludes.lists': '4711' });
    equal(everybody.statusCode, 400);
    deepEqual(audienceIn(everybody.body), { 'excludes.lists': ['4711'] });
  });

  it('tells the second of two who save that they are it, shows all of theirs, and puts it in place when they say so', async () => {
    const [first, second] = [await open(), await open()];
    const theirs = { 'includes.lists': ['1', '2'], limit: ['3'], sort_by: ['random'] };
    equal((await visitor.post(at, { ...hidden(first), ...theirs })).statusCode, 303);
    const stored = await saved();
    const overtaken = await visitor.post(at, { ...hidden(second), ...MINE });
    equal(overtaken.statusCode, 409);
    match(overtaken.body, /Somebody else has changed the audience/);
    deepEqual(audienceIn(overtaken.body), MINE);
    match(overtaken.body, /At most 3 people of them/);
    deepEqual(await saved(), stored);
    equal((await visitor.post(at, filled(overtaken.body))).statusCode, 303);
    deepEqual(await saved(), AS_MINE);
  });

  it('still asks whoever was refused first and overtaken then, and again whoever is overtaken again', async () => {
    const mine = await open();
    await api.call('PATCH', uri, { limit: 3 });
    const refused = await visitor.post(at, { ...hidden(mine), ...MINE, 'includes.states': ['California'] });
    equal(refused.statusCode, 400);
    const overtaken = await visitor.post(at, { ...filled(refused.body), 'includes.states': ['CA, OR'] });
    equal(overtaken.statusCode, 409);
    equal((await saved()).limit, 3);
    await api.call('PATCH', uri, { limit: 4 });
    const again = await visitor.post(at, filled(overtaken.body));
    equal(again.statusCode, 409);
    equal((await visitor.post(at, filled(again.body))).statusCode, 303);
    deepEqual(await saved(), AS_MINE);
  });

  it('is saved once, and nobody is said to have been there, though its button is pressed twice', async () => {
    const sent = { ...hidden(await open()), ...MINE };
    const press = () => visitor.copy().post(at, sent);
    for (const answer of [...(await Promise.all([press(), press()])), await press()])
      deepEqual([answer.statusCode, answer.headers.location], [303, `/console/mailings/${idIn(uri)}/?done=rebuilding`], answer.body);
    deepEqual(await saved(), AS_MINE);
  });

  it('takes one of two who save at the same moment', async () => {
    const page = await open();
    const both = await Promise.all(['8', '9'].map((limit) => visitor.copy().post(at, { ...filled(page), limit })));
    deepEqual(both.map(({ statusCode }) => statusCode).sort(), [303, 409]);
  });

  it('keeps a list that is hidden, which is not offered', async () => {
    const list = await api.create('list', { name: 'Founders' });
    await api.call('PATCH', uri, { includes: { lists: [idIn(list)] } });
    await api.pool.query('update core_list set hidden = true where id = $1', [idIn(list)]);
    const page = await open();
    deepEqual(audienceIn(page)['includes.lists'], [String(idIn(list))]);
    doesNotMatch(page, new RegExp(`name="excludes.lists" value="${idIn(list)}"`));
    equal((await visitor.post(at, { ...filled(page), limit: '8' })).statusCode, 303);
    deepEqual((await saved()).includes.lists, ['Founders']);
  });

  it('begins with how many there are, also without scripts', async () => {
    const lead = async () =>
      /<aside[^>]*>(.*?)<h2>At most/s
        .exec(await open())![1]!
        .replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim();
    match(await lead(), /^How many, now – Counting … How many, as it was built – Not built yet\. Save and build/);
    const built = await makeReady(api);
    await buildSet(api, built);
    at = `/console/mailings/${idIn(built)}/choose/`;
    match(await lead(), /^How many, now – Counting … How many, as it was built \d+ pe(ople|rson) Built /);
    await setMailing(api, built, { status: 'sending' });
    match(await lead(), /^How many, as it was built \d+ pe(ople|rson) Built .* The audience cannot be changed while/);
  });

  it('says in words whom the fields mean, while somebody chooses', async () => {
    const counted = async (fields: Record<string, string>) => {
      const answer = await visitor.post(`${at}counts`, { ...hidden(await open()), ...fields });
      equal(answer.statusCode, 200, answer.body);
      return answer
        .json()
        .words.replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ');
    };
    await api.call('PATCH', uri, { includes: { raw_sql: null } });
    const before = await saved();
    const chosen = { 'includes.lists': '2', 'includes.counties': '<Troy>', 'excludes.states': 'ny', limit: '5', sort_by: 'random' };
    const words = await counted(chosen);
    match(words, /who .*is on the list Walkers .*county &lt;Troy&gt;/);
    match(words, /but nobody who lives in the state NY At most 5 people of them, picked at random\./);
    doesNotMatch(words, /News|donated|spring/);
    doesNotMatch(await counted({}), /list (News|Walkers)|nobody|At most/);
    deepEqual(await saved(), before);
  });
});
