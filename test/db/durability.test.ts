import assert from 'node:assert/strict';
import { newConnection } from '../../db/driver.ts';
import { whyNotDurable } from '../../db/durability.ts';
import { ReplicatedPostgres } from '../../embedded/replicated-postgres.ts';
import { dataFolder } from '../support/data-folder.ts';
import { atEnd } from '../support/endings.ts';

describe('what a database says of what it has confirmed', () => {
  let postgres: ReplicatedPostgres;
  before(async () => {
    postgres = await ReplicatedPostgres.start(dataFolder());
    atEnd(() => postgres.stop());
  });

  /** As the platform's own login hears it, which may not see much of replication. */
  const heard = async (settings = '') => {
    const client = newConnection(postgres.url, { options: settings });
    await client.connect();
    return whyNotDurable(client).finally(() => client.end());
  };

  it('is nothing with a synchronous standby', async () => {
    assert.equal(await heard(), null);
  });

  it('is that a session, or the whole, does not wait for the standby, or for the disk', async () => {
    assert.match((await heard('-c synchronous_commit=local'))!, /does not wait for it/);
    assert.match((await heard('-c synchronous_commit=off'))!, /before they are on its disk/);
    await postgres.setSynchronous(false);
    assert.match((await heard())!, /has a standby and does not wait for it/);
    await postgres.stopStandby();
    assert.equal(await heard(), null);
  });
});
