import { deepEqual, equal } from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { runCommand } from '../../cli/command-line.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { idIn, READY, setMailing } from '../support/mailings.ts';

const MANY = 105;

describe('sends hold while there are more mailings than a page shows', () => {
  let api: TestApi;

  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('stops all of them, also where one ends while they are read', async () => {
    const first = await api.create('mailer', READY);
    await setMailing(api, first, { status: 'sending', queued_at: new Date(), started_at: new Date() });
    await api.pool.query(
      `insert into core_mailing select (jsonb_populate_record(m, jsonb_build_object('id', 1000 + n))).*
       from core_mailing m, generate_series(1, $2) n where m.id = $1`,
      [idIn(first), MANY],
    );
    let ended = false;
    api.app.server.on('request', ({ url = '' }: IncomingMessage, answer: ServerResponse) => {
      if (!url.includes('status__in')) return;
      const end = answer.end.bind(answer);
      // Once the first page is read, and before anybody has it.
      answer.end = ((...args: Parameters<typeof end>) => {
        const page = ended ? Promise.resolve() : setMailing(api, first, { status: 'completed', finished_at: new Date() });
        ended = true;
        void page.then(() => end(...args));
        return answer;
      }) as typeof answer.end;
    });
    const out: string[] = [];
    const settings = {
      API_URL: await api.app.listen({ port: 0, host: '127.0.0.1' }),
      API_USERNAME: 'admin',
      API_PASSWORD: 'test-password',
      DATABASE_URL: api.databaseUrl,
    };
    const terminal = { out: (text: string) => void out.push(text), problem: () => {}, redraw: null, ask: null, input: async () => '' };
    await runCommand(['sends', 'hold', '--json'], settings, terminal);
    equal(JSON.parse(out.join('')).held.length, MANY);
    const { rows } = await api.pool.query(`select id from core_mailing where status = 'sending' and not stop_requested`);
    deepEqual(rows, []);
  });
});
