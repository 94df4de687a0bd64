import { equal, ok, rejects } from 'node:assert/strict';
import { mock } from 'node:test';
import { MailingLinks } from '../../../core/tracking/mailing-links.ts';
import type { Pool } from '../../../db/driver.ts';

describe('links of mailings that are known', () => {
  afterEach(() => mock.restoreAll());

  it('are read anew after a second, once for all, and lead on while the database is away or silent', async () => {
    let now = 0;
    mock.method(performance, 'now', () => now);
    let answers: () => Promise<unknown> = async () => ({ rows: [{ number: 0, url: 'https://one.example/' }] });
    let asked = 0;
    const links = new MailingLinks({ query: () => ++asked && answers() } as unknown as Pool);
    const url = 'https://one.example/';
    equal(await links.of(1, 0), url);
    equal(await links.of(1, 0), url);
    equal(await links.of(1, 1), undefined);
    equal(asked, 1);

    now += 1001;
    answers = () => Promise.reject(new Error('away'));
    equal(await links.of(1, 0), url);
    equal(await links.of(1, 0), url);
    equal(asked, 2);
    now += 1001;
    await rejects(links.of(1, 1), /away/);

    answers = () => new Promise(() => {});
    const begun = process.hrtime.bigint();
    equal(await links.of(1, 0), url);
    ok(process.hrtime.bigint() - begun < 3_000_000_000n);
    now += 1001;
    // Still at the question of before.
    equal((await Promise.all([links.of(1, 0), links.of(1, 0)])).join(), `${url},${url}`);
    equal(asked, 4);
  });

  it('are those of the mailing that has the number now', async () => {
    let now = 0;
    mock.method(performance, 'now', () => now);
    let url = 'https://lost.example/';
    const links = new MailingLinks({ query: async () => ({ rows: [{ number: 0, url }] }) } as unknown as Pool);
    equal(await links.of(1, 0), url);
    [now, url] = [1001, 'https://next.example/'];
    equal(await links.of(1, 0), url);
  });
});
