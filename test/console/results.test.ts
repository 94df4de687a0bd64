import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict';
import { LEDGER_STATE } from '../../domain/words.ts';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, enterAs, text } from '../support/console-visitor.ts';
import { idIn, makeReady, setMailing } from '../support/mailings.ts';
import { insertPeople } from '../support/people.ts';
import { become, tally } from '../support/sending.ts';
import { track } from '../support/tracking.ts';

describe('what came of a mailing, in the console', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;
  let uri: string;
  let at: string;
  const people: number[] = [];
  const get = async (url: string) => {
    const answer = await visitor.get(url);
    equal(answer.statusCode, 200, `${url}: ${text(answer.body)}`);
    return answer;
  };

  before(async () => {
    api = await startApi();
    const list = await api.create('list', { name: 'Everyone' });
    await api.create('signuppage', { name: 'join', list });
    await api.create('petitionpage', { name: 'sign' });
    await api.create('unsubscribepage', { name: 'leave' });
    for (const n of [1, 2, 3, 4]) {
      const answer = await api.call('POST', '/rest/v1/action/', { page: 'join', email: `p${n}@example.org` });
      people.push(idIn(answer.json().user));
    }
    uri = await makeReady(api, { subjects: ['=One', 'Two'] });
    const id = idIn(uri);
    at = `/console/mailings/${id}/`;
    await become(
      api.pool,
      id,
      [1, 2, 3, 4].map((position) => ({
        position,
        state: position === 4 ? LEDGER_STATE.failed : LEDGER_STATE.accepted,
        detail: position === 4 ? '=550 "no"' : null,
      })),
    );
    await api.pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, finished, accepted, failed) values ($1, 0, 1, 4, 4, true, 3, 1)`,
      [id],
    );
    await tally(api.pool, id);
    await setMailing(api, uri, { status: 'completed', started_at: new Date(), finished_at: new Date(), expected_send_count: 4 });
    await api.pool.query(
      `insert into core_mailinglink (mailing_id, number, url) values ($1, 1, 'https://example.org/<a>'), ($1, 2, 'https://example.org/b')`,
      [id],
    );
    const did = (user: number, link: number | null, machine = false) => ({ userId: people[user]!, mailingId: id, link, machine });
    // Two clicks of long ago, which are no longer kept one by one.
    await track(api.pool, did(0, 2), did(0, 2));
    await api.pool.query('delete from core_click');
    await track(api.pool, did(0, 2), did(0, 2), did(1, 2), did(1, 1, true), did(0, null), did(0, null), did(1, null), did(2, null));
    await api.call('POST', '/rest/v1/action/', { page: 'sign', email: 'p1@example.org', mailing: uri });
    await api.call('POST', '/rest/v1/action/', { page: 'leave', email: 'p2@example.org', mailing: uri });
    await api.pool.query('update core_action set mailing_id = $1 where page_id > 1', [id]);
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  it('tells clicks by link, those most followed first, without programs', async () => {
    const page = text((await get(`${at}results/`)).body);
    match(page, /Clicks by link .*example\.org\/b 3 2 66\.7%.*example\.org\/&lt;a&gt; 0 0/);
    match(page, /Of 5 clicks in all 2 are no longer kept one by one/);
  });

  it('counts nobody’s leaving as an action', async () => {
    equal((await api.read(`${uri}results/`)).totals.actions, 2);
    const page = text((await get(`${at}results/`)).body);
    match(page, /Actions 1 33\.3%/);
    match(page, /Unsubscribed 1/);
    match(page, /Opened 100\.0% 3 people Clicked 66\.7% 2 people /);
    match((await get(`${at}results/subjects.csv`)).body, /^\uFEFFsubject,/);
    // Who has left already, by the form itself or by a complaint, leaves once more, and one list they are not on.
    await api.pool.query('delete from core_subscription where user_id = $1', [people[2]]);
    const list = await api.create('list', { name: 'Another' });
    for (const more of [{ email: 'p2@example.org' }, { email: 'p3@example.org' }, { email: 'p1@example.org', lists: [idIn(list)] }])
      equal((await api.call('POST', '/rest/v1/action/', { page: 'leave', mailing_id: idIn(uri), ...more })).statusCode, 201);
    equal((await api.read(`${uri}results/`)).totals.actions, 5);
    match(text((await get(`${at}results/`)).body), /Actions 1 33\.3%.*Unsubscribed 1 33\.3%/);
  });

  it('counts as somebody’s mails those they were sent, as the API does', async () => {
    // In one that waits, too.
    const waiting = await makeReady(api);
    for (const [n, many] of [1, 1, 1, 0].entries()) {
      match(text((await get(`/console/people/${people[n]}/`)).body), new RegExp(` Mails ${many} Opened`));
      equal((await api.read(`/rest/v1/sentmail/?user=${people[n]}`)).meta.total_count, many);
    }
    // Nothing comes to them that nobody sends.
    for (const [status, words] of [
      ['draft', 'in the audience of a draft'],
      ['scheduled', 'waits'],
      ['stopped', 'not reached: the mailing was stopped'],
    ] as const) {
      await setMailing(api, waiting, { status });
      match(text((await get(`/console/people/${people[3]}/mails/`)).body), new RegExp(` ${words} .* failed`));
    }
  });

  it('says nobody and everybody only where that is so', async () => {
    const large = idIn(await makeReady(api, { subjects: ['Large'] }));
    await api.pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, finished, accepted, failed) values ($1, 0, 1, 10000, 10000, true, 10000, 0)`,
      [large],
    );
    await api.pool.query('delete from send_tally where mailing_id = $1', [large]);
    await api.pool.query('insert into send_tally values ($1, 0, 0, 10000, 10000, 0, 0, 0)', [large]);
    await api.pool.query('insert into core_trackedtotal (mailing_id, place, opens, clicks) values ($1, 0, 9996, 10000)', [large]);
    await api.pool.query('insert into core_mailingtally (mailing_id, place, bounces, complaints) values ($1, 0, 5, 3)', [large]);
    match(
      text((await get(`/console/mailings/${large}/results/`)).body),
      /Opened 99\.9% 9,996 people Clicked 100\.0% 10,000 people .*Unsubscribed 0 0\.0% Bounced 5 0\.05% Complained 3 0\.03%/,
    );
  });

  it('tells shares of those who may have it, and says actions that are more than people', async () => {
    const few = idIn(await makeReady(api, { subjects: ['Few'] }));
    await api.pool.query('delete from send_tally where mailing_id = $1', [few]);
    await api.pool.query('insert into send_tally values ($1, 0, 0, 4, 1, 0, 0, 3)', [few]);
    await api.pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, finished, accepted, uncertain) values ($1, 0, 1, 4, 4, true, 1, 3)`,
      [few],
    );
    await api.pool.query('insert into core_trackedtotal (mailing_id, place, opens, clicks) values ($1, 0, 4, 2)', [few]);
    await api.pool.query(
      'insert into core_mailingtally (mailing_id, place, actions, orders, amount, amount_converted) values ($1, 0, 6, 1, 5, 5)',
      [few],
    );
    await api.pool.query(
      `insert into core_trackedtimeline (mailing_id, at, place, opens, clicks, total_opens, total_clicks) values ($1, now(), 0, 4, 2, 4, 2)`,
      [few],
    );
    const page = text((await get(`/console/mailings/${few}/results/`)).body);
    match(page, /Accepted 1 3 uncertain Opened 100\.0% 4 people Clicked 50\.0% 2 people Actions 6 1\.5 each Given \$5\.00 1 order /);
    match(page, /Shares are of 4 people: those whose mail was accepted, and those who may have it all the same\./);
    match(page, /of a recurring gift what was agreed on, once/);
    match(page, /Actions Given Left Bounced Complained Few 1 100\.0% 50\.0% 1\.5 each \$5\.00/);
    equal((await get(`/console/mailings/${few}/subject-charts`)).json().opens.series[0]?.values.at(-1) ?? 100, 100);
    // Those of whom nobody knew were sent to again, and refused: some of them have it all the same.
    await api.pool.query('update send_tally set failed = 3, uncertain = 0 where mailing_id = $1', [few]);
    await api.pool.query('update send_shard set failed = 3, uncertain = 0 where mailing_id = $1', [few]);
    const settled = text((await get(`/console/mailings/${few}/results/`)).body);
    match(settled, /Accepted 1 by the relay Opened 100\.0% 4 people Clicked 50\.0% 2 people .* Shares are of 4 people: /);
    await api.pool.query(
      `update core_mailing set status = 'completed', started_at = now() - interval '1 hour', finished_at = now() where id = $1`,
      [few],
    );
    match(text((await get('/console/')).body), /Few [^%]* 1 100\.0% 50\.0%/);
    equal((await get(`/console/mailings/${few}/subject-charts`)).json().opens.series[0].values.at(-1), 100);
  });

  it('compares subjects over time by how much of each one’s recipients had opened', async () => {
    const { opens, clicks } = (await get(`${at}subject-charts`)).json();
    const ends = ({ series }: { series: { label: string; values: number[] }[] }) =>
      series.map(({ label, values }) => [label, Math.round(values.at(-1)!)]);
    deepEqual(ends(opens), [
      ['1: =One', 100],
      ['2: Two', 100],
    ]);
    deepEqual(ends(clicks), [
      ['1: =One', 100],
      ['2: Two', 50],
    ]);
    match((await get(`${at}results/`)).body, /data-charts="[^"]*subject-charts"/);
  });

  it('gives every table as a file, with nothing in it that a spreadsheet runs', async () => {
    const csv = async (path: string) => {
      const answer = await get(path);
      match(String(answer.headers['content-type']), /text\/csv/);
      match(String(answer.headers['content-disposition']), /attachment; filename="[\w-]+\.csv"/);
      // Else a spreadsheet reads “José” as “JosÃ©”.
      match(answer.body, /^\uFEFF/);
      return answer.body.trim().split('\r\n');
    };
    const subjects = await csv(`${at}results/subjects.csv`);
    match(subjects[1]!, /^'=One,/);
    deepEqual(await csv(`${at}results/links.csv`), [
      'link,url,clicks,people',
      '2,https://example.org/b,3,2',
      '1,https://example.org/<a>,0,0',
      ',no longer kept one by one,2,',
    ]);
    // By the second in which each was accepted.
    const [, ...sends] = await csv(`${at}results/sends.csv`);
    equal(
      sends.reduce((sum, line) => sum + Number(line.split(',')[1]), 0),
      3,
    );
    match((await csv(`${at}results/opens.csv`))[0]!, /^utc,Opens per/);
    const failed = await csv(`${at}recipients/failed.csv`);
    equal(failed[0], 'position,user,email,reason,utc');
    match(failed[1]!, /^4,\d+,p\d@example\.org,"'=550 ""no""",20/);
    match(
      (await csv(`${at}audience/counts.csv`)).join('\n'),
      /^kind,clause,people,counted\nreachable,can be mailed at all,\d,among everybody\n/,
    );
    // What is counted comes out: whoever is in it already gets it no second time.
    const counts = new Map((await csv(`${at}audience/counts.csv`)).map((line) => [line.split(',')[0]!, Number(line.split(',').at(-2))]));
    const [included, excluded, settled, left] = ['included', 'excluded', 'settled', 'audience'].map((kind) => counts.get(kind) ?? 0);
    deepEqual([settled, included! - excluded! - settled!], [2, left]);
    match(text((await get(`${at}audience/counts`)).body), /in it already: mailed, failed or skipped 2 100\.0% Would get the mail 0/);
    match((await csv('/console/mailings.csv?group=sent')).join('\n'), /'=One,,completed,4,3,1,0,0/);
    for (const path of ['results/links.csv', 'recipients/failed.csv', 'results/sends.csv'])
      equal((await visitor.get(`/console/mailings/999/${path}`)).statusCode, 404, path);
  });

  it('says of each count of an audience in a file that it was made up from a sample, where it was', async () => {
    const large = await startApi({ AUDIENCE_SAMPLE: '1000' });
    try {
      const who = new ConsoleVisitor(large.app);
      await who.logIn(ADMIN);
      const list = idIn(await large.create('list', { name: 'All' }));
      await insertPeople(
        large.pool,
        Array.from({ length: 20_000 }, (_, n) => ({ id: n + 1, email: `p${n}@example.org`, lists: [list] })),
      );
      await large.pool.query('analyze core_user');
      const mailing = idIn(await large.create('mailer', { subjects: ['x'], includes: { lists: [list] } }));
      const [head, ...lines] = (await who.get(`/console/mailings/${mailing}/audience/counts.csv`)).body.trim().split('\r\n');
      equal(head, 'kind,clause,people,counted');
      for (const line of lines) match(line, /^[a-z]+,.*,\d+,about: made up from \d+ people picked at random$/);
    } finally {
      await large.close();
    }
  });

  it('names nobody in a file to who may not read people', async () => {
    const looker = await enterAs(api, 'looker', ['mailer:read']);
    const { body } = await looker.get(`${at}recipients/failed.csv`);
    match(body, /^\uFEFFposition,user,reason,utc\r\n/);
    doesNotMatch(body, /@/);
  });

  it('leads to the donations only whoever may see them', async () => {
    await api.pool.query(
      'update core_mailingtally set orders = 1 where ctid = (select min(ctid) from core_mailingtally where mailing_id = $1)',
      [idIn(uri)],
    );
    const of = async (who: ConsoleVisitor) => /Given: orders.*?<\/p>/s.exec((await who.get(`${at}results/`)).body)![0];
    match(await of(visitor), /<a href="\/console\/donations\/">donations<\/a>/);
    doesNotMatch(await of(await enterAs(api, 'teller', ['mailer:read'])), /href/);
  });
});
