import { doesNotThrow, throws } from 'node:assert/strict';
import { checkServer, refuseOldServer } from '../../db/server-version.ts';
import { createDatabase } from '../support/database.ts';

describe('the version of the database server', () => {
  it('is refused where it is too old, by the setting that leads there', () => {
    for (const version of [90624, 140012, 150018])
      throws(() => refuseOldServer(version), /^Error: DATABASE_URL leads to PostgreSQL \d+: 16 or later is needed$/);
    for (const version of [160000, 180004]) doesNotThrow(() => refuseOldServer(version));
  });

  it('is asked of the server, which is one that is fine', async () => checkServer(await createDatabase()));
});
