import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict';
import { LEDGER_STATE } from '../../domain/words.ts';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, enterAs, text } from '../support/console-visitor.ts';
import { erase } from '../support/erasing.ts';
import { idIn, makeReady, setMailing } from '../support/mailings.ts';
import { become, tally } from '../support/sending.ts';

describe('the home page of the console', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;
  const home = async (who = visitor) => {
    const answer = await who.get('/console/');
    equal(answer.statusCode, 200, text(answer.body));
    return text(answer.body);
  };

  before(async () => {
    api = await startApi();
    const list = await api.create('list', { name: 'Everyone' });
    await api.create('signuppage', { name: 'join', list });
    await api.create('unsubscribepage', { name: 'leave' });
    for (const n of [1, 2, 3]) await api.call('POST', '/rest/v1/action/', { page: 'join', email: `p${n}@example.org` });
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  const ended = async (subject: string, columns: Record<string, unknown>, uncertain: number, accepted = 3 - uncertain) => {
    const uri = await makeReady(api, { subjects: [subject] });
    const id = idIn(uri);
    const states = [1, 2, 3].filter((position) => position <= accepted + uncertain);
    await become(
      api.pool,
      id,
      states.map((position) => ({ position, state: position > accepted ? LEDGER_STATE.uncertain : LEDGER_STATE.accepted, detail: 'gone' })),
    );
    await api.pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, finished, accepted, uncertain) values ($1, 0, 1, 3, 3, true, $2, $3)`,
      [id, accepted, uncertain],
    );
    await tally(api.pool, id);
    await setMailing(api, uri, {
      status: 'completed',
      started_at: new Date(),
      finished_at: new Date(),
      expected_send_count: 3,
      ...columns,
    });
    return uri;
  };

  it('says what to do first where there is nothing yet', async () => {
    const page = await home();
    match(page, /Nothing is being sent/);
    match(page, /Nothing waits for a decision/);
    match(page, /None has gone out to its end yet\. Write one/);
    match(page, /3 people subscribed/);
  });

  it('shows what is being sent, what needs somebody, and how the last mailings did', async () => {
    await ended('All well', {}, 0);
    const unsettled = await ended('Some unsettled', {}, 2);
    await ended('One died', { status: 'died', errors: JSON.stringify(['the relay was away']) }, 0, 1);
    await ended('One stopped', { status: 'stopped' }, 0, 2);
    const later = await makeReady(api, { subjects: ['Tomorrow'], scheduled_for: '2100-01-01T00:00:00' });
    await setMailing(api, later, { status: 'scheduled', query_status: 'invalid' });
    const { rows } = await api.pool.query(
      `select id from core_mailing m where exists (select from core_mailingsubject s where s.mailing_id = m.id and text = 'All well')`,
    );
    await api.pool.query('insert into core_trackedtotal (mailing_id, place, opens, clicks) values ($1, 0, 2, 1)', [rows[0].id]);

    await api.pool.query('insert into core_trackedtotal (mailing_id, place, opens, clicks) values ($1, 0, 3, 0)', [idIn(unsettled)]);

    const page = await home();
    match(page, /Being sent All mailings Tomorrow.*Scheduled/);
    match(page, /Some unsettled \d+ Settle 2 people: nobody knows whether they got it/);
    match(page, /One died \d+ It died with 2 people left: the relay was away/);
    match(page, /One stopped \d+ Stopped: 1 person left/);
    match(page, /Tomorrow \d+ Scheduled, but its audience is not built/);
    match(page, /Last mailings .*All well .* 3 66\.7% 33\.3%/);
    // Of whom nobody knows, some open theirs.
    match(page, /Some unsettled \d[^%]* 1 100\.0% 0\.0%/);
    const live = (await visitor.get('/console/live')).json();
    equal(live.busy, true);
    match(live.regions.home, /Settle 2 people/);

    await visitor.submit(
      `/console/mailings/${idIn(unsettled)}/confirm/uncertain-accept`,
      `/console/mailings/${idIn(unsettled)}/confirm/uncertain-accept`,
    );
    doesNotMatch(await home(), /Settle/);
  });

  it('shows first what is at work, though more than it shows wait for their time', async () => {
    const working = await makeReady(api, { subjects: ['At work'] });
    const waiting: string[] = [];
    for (let day = 1; day <= 11; day++) {
      const uri = await makeReady(api, {
        subjects: [`Day ${day}`],
        scheduled_for: `2099-01-${String(20 - day).padStart(2, '0')}T00:00:00`,
      });
      await setMailing(api, uri, { status: 'scheduled' });
      waiting.push(uri);
    }
    await setMailing(api, working, { status: 'sending', started_at: new Date(), expected_send_count: 3 });
    match(await home(), /Being sent All mailings At work.*Day 11 .*Day 10 .*Day 3 .*All that are under way/);
    doesNotMatch(await home(), /Day 2 /);
    for (const uri of [working, ...waiting]) await setMailing(api, uri, { status: 'draft', scheduled_for: null });
  });

  it('asks about those a worker left uncertain who was killed as the mailing was being stopped', async () => {
    const uri = await ended('Stopped late', { status: 'stopped' }, 0, 3);
    await api.pool.query('update send_shard set finished = false, accepted = 2, uncertain = 1 where mailing_id = $1', [idIn(uri)]);
    match(await home(), /Stopped late \d+ Settle 1 person: nobody knows whether they got it/);
    await setMailing(api, uri, { hidden: true });
  });

  it('names last what ended last, and asks nobody about a stopped one that has nobody left', async () => {
    const early = await makeReady(api, { subjects: ['Begun early'] });
    await ended('Written later', { finished_at: new Date('2030-01-01') }, 0);
    await setMailing(api, early, {
      status: 'completed',
      started_at: new Date(),
      finished_at: new Date('2030-01-02'),
      expected_send_count: 3,
    });
    await ended('Nobody left', { status: 'stopped', finished_at: new Date('2020-01-01') }, 0);
    const page = await home();
    match(page, /Last mailings .*Begun early.*Written later/);
    doesNotMatch(page, /Nobody left/);
  });

  it('shows a mailing again that is sent from the archive', async () => {
    const uri = await makeReady(api, { subjects: ['Out of the archive'] });
    const at = `/console/mailings/${idIn(uri)}/`;
    await visitor.submit(at, `${at}archive`);
    match(text((await visitor.get('/console/mailings/?archived=1&q=archive')).body), /Out of the archive/);
    match((await visitor.get('/console/mailings/?archived=1')).body, /<input type="hidden" name="archived" value="1">/);
    await visitor.submit(`${at}confirm/queue`, `${at}confirm/queue`);
    match(await home(), /Being sent All mailings Out of the archive/);
    await setMailing(api, uri, { status: 'draft' });
  });

  it('charts who came and who left', async () => {
    await api.call('POST', '/rest/v1/action/', { page: 'leave', email: 'p3@example.org' });
    const { growth } = (await visitor.get('/console/growth')).json();
    deepEqual(
      growth.series.map(({ values }: { values: number[] }) => [values.length, values.at(-1)]),
      [
        [30, 3],
        [30, 1],
      ],
    );
    match(await home(), /2 people subscribed Beside them 1 left\./);
    match((await visitor.get('/console/growth.csv')).body, /^\uFEFFutc_day,joined,left\r\n(.*\r\n){29}\d{4}-\d\d-\d\d,3,1\r\n$/);
  });

  it('counts nobody who was erased', async () => {
    const id = idIn(await api.create('user', { email: 'forgotten@example.org' }));
    const people = async () => text((await visitor.get('/console/people/')).body);
    match(await people(), /4 people 2 subscribed · 1 unsubscribed · 1 on no list yet .*forgotten@/);
    await erase(api.pool, id);
    match(await home(), /2 people subscribed Beside them 1 left\./);
    match(await people(), /3 people 2 subscribed · 1 unsubscribed Beside them 1 record is left of people who were erased\./);
    doesNotMatch(await people(), /erased\.invalid/);
  });

  it('shows each what they may read, and tells who may read nothing', async () => {
    const reader = await enterAs(api, 'reader', ['mailer:read']);
    doesNotMatch(await home(reader), /people subscribed|New mailing/);
    await api.pool.query('update core_mailing set hidden = true');
    try {
      for (const place of ['/console/', '/console/mailings/']) {
        const page = (await reader.get(place)).body;
        match(page, /None has gone out to its end yet\.<|There is no mailing yet\.</);
        doesNotMatch(page, /Write (one|the first one)|\/console\/mailings\/new/);
        match((await visitor.get(place)).body, /mailings\/new">Write (one|the first one)</);
      }
    } finally {
      await api.pool.query('update core_mailing set hidden = false');
    }
    equal((await reader.get('/console/growth')).statusCode, 403);
    const nobody = await enterAs(api, 'nobody', ['list:read']);
    match(await home(nobody), /may neither read mailings nor people/);
    doesNotMatch(await home(nobody), /Being sent|href="\/console\/mailings\/"/);
    equal((await nobody.get('/console/live')).statusCode, 403);
  });
});
