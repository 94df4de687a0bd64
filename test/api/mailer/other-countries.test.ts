import { deepEqual } from 'node:assert/strict';
import { startApi, type TestApi } from '../../support/api.ts';
import { buildSet, idIn, READY } from '../../support/mailings.ts';

describe('the audience and people of other countries', () => {
  let api: TestApi;
  const people = new Map<number, string>();
  before(async () => {
    api = await startApi();
    const list = await api.create('list', { name: 'News' });
    for (const [name, country, zip] of [
      ['addison', 'United States', '75001'],
      ['unsaid', '', '75001'],
      ['paris', 'France', '75001'],
      ['dallas', 'USA', '75201'],
      ['cergy', 'France', '75201'],
      ['san-juan', 'Puerto Rico', '00901'],
      ['bogota', 'Colombia', '00901'],
    ]) {
      const user = await api.create('user', { email: `${name}@example.org`, country, zip });
      await api.create('subscription', { user, list });
      people.set(idIn(user), name!);
    }
  });
  after(() => api.close());

  const mailed = async (includes: object, excludes = {}) => {
    const uri = await api.create('mailer', { ...READY, includes, excludes });
    const count = await buildSet(api, uri);
    const { rows } = await api.pool.query('select user_id from send_record where mailing_id = $1', [idIn(uri)]);
    deepEqual([rows.length, (await api.read(`${uri}audience/`)).people], [count, count]);
    return rows.map(({ user_id }) => people.get(user_id)).sort();
  };

  it('does not have them, whose postal codes look like zips, for a city or a distance in the United States', async () => {
    deepEqual(await mailed({ zips: ['Addison, TX'] }), ['addison', 'unsaid']);
    deepEqual(await mailed({ zips: ['75001'], zip_radius: 30 }), ['addison', 'dallas', 'unsaid']);
    deepEqual(await mailed({ zips: ['San Juan, PR'] }), ['san-juan']);
  });

  it('does not leave them out for one, either', async () => {
    deepEqual(await mailed({}, { zips: ['75001'], zip_radius: 30 }), ['bogota', 'cergy', 'paris', 'san-juan']);
  });

  it('knows the United States by any of the names that an address is stored under one of', async () => {
    const american = ['addison', 'dallas', 'unsaid'];
    for (const country of ['US', 'usa', ' U.S.A. ', 'United States of America', 'united states']) {
      deepEqual(await mailed({ countries: [country] }), american, country);
      deepEqual(await mailed({ zips: ['75*'] }, { countries: [country] }), ['cergy', 'paris'], country);
    }
    deepEqual(await mailed({ countries: ['USA', 'france'] }), ['addison', 'cergy', 'dallas', 'paris', 'unsaid']);
  });

  it('has them where their code itself is named, whatever country it is in', async () => {
    deepEqual(await mailed({ zips: ['75001'] }), ['addison', 'paris', 'unsaid']);
    deepEqual(await mailed({ zips: ['750*', 'San Juan, PR'] }), ['addison', 'paris', 'san-juan', 'unsaid']);
  });
});
