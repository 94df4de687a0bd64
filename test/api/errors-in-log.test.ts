import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { pino } from 'pino';
import { serve } from '../../api/serve.ts';
import { readEnv } from '../../config/env.ts';
import { hashPassword } from '../../core/accounts/password.ts';
import { createPool } from '../../db/pool.ts';
import { basic } from '../support/api.ts';
import { createDatabase } from '../support/database.ts';

describe('the log of an error nobody foresaw', () => {
  it('says what helps, and nothing of what the database quotes of people', async () => {
    const DATABASE_URL = await createDatabase();
    const pool = createPool(DATABASE_URL, 1);
    await pool.query(`insert into auth_user (username, password, is_staff, is_superuser) values ('admin', $1, true, true)`, [
      await hashPassword('test-password'),
    ]);
    await pool.query(`
      create function refuse() returns trigger language plpgsql as $$ begin
        raise exception 'no room for "%" of %', new.name, 'Ann.Smith@example.org'
          using errcode = 'XX001', detail = 'Key (name)=(' || new.name || ') already exists.', hint = new.name, constraint = 'list_rule', table = 'core_list';
      end $$;
      create trigger refuse before insert on core_list for each row execute function refuse()`);
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    const api = await serve(readEnv({ DATABASE_URL, TEMPORAL_ADDRESS: '127.0.0.1:1', PORT: '0' }), log, async () => {});
    const headers = { authorization: basic(), 'content-type': 'application/json' };
    const answer = await fetch(`${api.url}/rest/v1/list/`, { method: 'POST', headers, body: '{"name": "Ann Smith"}' });
    await api.stop();
    await pool.end();
    equal(answer.status, 500);
    const said = lines.find((line) => line.includes('nobody foresaw'));
    ok(said, lines.join(''));
    const { err } = JSON.parse(said);
    deepEqual([err.message, err.code, err.constraint, err.table], ['no room for "…" of [address]', 'XX001', 'list_rule', 'core_list']);
    match(err.stack, /^ {4}at .*\n/);
    ok(!/Ann|Smith/.test(lines.join('')), lines.join(''));
  });
});
