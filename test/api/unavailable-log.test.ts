import { deepEqual, equal, match } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { UnavailableLog } from '../../api/plugins/unavailable-log.ts';
import { newConnection } from '../../db/driver.ts';
import { startApi } from '../support/api.ts';
import { databaseIn, endSessions } from '../support/sessions.ts';

interface Line {
  level: number;
  msg: string;
  why?: string;
  error?: string;
  requests?: number;
}
const logInto = (lines: Line[]) => pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
const said = (lines: Line[]) =>
  lines.filter(({ msg }) => /503/.test(msg)).map(({ level, msg, why, error, requests }) => ({ level, msg, why, error, requests }));

describe('the log of an API whose requests are answered 503', () => {
  it('says why, once for many, with what is behind it', async () => {
    const lines: Line[] = [];
    const api = await startApi({}, (app) => {
      app.log = logInto(lines);
    });
    const { pathname } = new URL(api.databaseUrl);
    const other = newConnection(api.databaseUrl);
    await other.connect();
    await other.query(`alter database ${pathname.slice(1)} connection limit 0`);
    await endSessions(other, databaseIn(api.databaseUrl));
    for (let n = 0; n < 20 && !said(lines).some(({ why }) => /has no connection left/.test(why!)); n++)
      equal((await api.call('GET', '/rest/v1/user/')).statusCode, 503);
    const before = said(lines).length;
    for (const path of ['/rest/v1/user/1/', '/rest/v1/list/', '/view/1.1.abcdef']) await api.call('GET', path);
    await other.query(`alter database ${pathname.slice(1)} connection limit -1`);
    await other.end();
    await api.close();
    equal(said(lines).length, before);
    const { level, msg, why, error } = said(lines).at(-1)!;
    deepEqual(
      [level, msg, why],
      [40, 'requests are answered 503', 'The database has no connection left, by its limits or those of the login; nothing was changed.'],
    );
    match(error!, /too many connections/);
  });

  it('says how many they are while it goes on, and when it is over', async () => {
    const lines: Line[] = [];
    const log = new UnavailableLog(logInto(lines), 50);
    const away = () => log.note('Away.', new Error('ECONNREFUSED'));
    away();
    for (let n = 0; n < 3; n++) away();
    log.note('Full.', new Error('Full.'));
    while (said(lines).length < 5) await sleep(10);
    const [first, full, ...later] = said(lines);
    deepEqual(first, { level: 40, msg: 'requests are answered 503', why: 'Away.', error: 'ECONNREFUSED', requests: undefined });
    deepEqual(full, { level: 40, msg: 'requests are answered 503', why: 'Full.', error: undefined, requests: undefined });
    deepEqual(
      later.filter(({ why }) => why === 'Away.').map(({ level, msg, requests }) => [level, msg, requests]),
      [
        [40, 'requests are still answered 503', 3],
        [30, 'for a minute no request was answered 503 for this', 4],
      ],
    );
    away();
    equal(said(lines).at(-1)?.msg, 'requests are answered 503');
    log.close();
  });
});
