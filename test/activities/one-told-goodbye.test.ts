import { deepEqual } from 'node:assert/strict';
import type pg from 'pg';
import { runSlice } from '../../core/sending/slice.ts';
import { createPool } from '../../db/pool.ts';
import type { CompiledMailing } from '../../mail/contracts.ts';
import { createDatabase } from '../support/database.ts';
import { mailNumber, Opened } from '../support/relay.ts';
import { ledgerStates, plainMail, seedMailing, sliceSetup } from '../support/sending.ts';

describe('a relay that says 421 to one mail alone', () => {
  const opened = new Opened();
  let pool: pg.Pool;

  before(async () => {
    pool = createPool(await createDatabase(), 12);
  });
  after(() => pool.end());
  afterEach(() => opened.end());

  const mail: CompiledMailing = { ...plainMail, render: ({ position, email }) => mailNumber(position, { envelopeTo: email }) };

  for (const chunking of [true, false])
    for (const at of ['rcpt', 'message'] as const) {
      it(`keeps nobody else from theirs: at ${at}, ${chunking ? 'by chunks' : 'by DATA'}`, async () => {
        const id = await seedMailing(pool, 300, { shardSize: 100 });
        const rules = [{ at, match: 'person7@', reply: '421 4.7.0 not this one', next: 'close' as const }];
        const sink = await opened.sink({ rules, offers: { chunking } });
        const relay = opened.relay(sink.url);
        let slices = 0;
        while ((await runSlice(sliceSetup(pool, id, relay, { mail }))).next !== 'finished' && ++slices < 30);
        deepEqual(await ledgerStates(pool, id), { accepted: 299, failed: 1 });
      });
    }
});
