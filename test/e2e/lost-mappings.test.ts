import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { StubCrm } from '../support/crm-stub.ts';
import { atEnd } from '../support/endings.ts';
import { idIn } from '../support/mailings.ts';
import { replicatedPlatform } from '../support/replicated-platform.ts';

describe('an asynchronous standby that is promoted without the last mappings of the CRM sync', () => {
  it('has nobody written into the contact of somebody whose number was given out a second time', async () => {
    const stub = await new StubCrm().listen();
    atEnd(() => stub.close());
    const { api, postgres } = await replicatedPlatform(2, { CRM_KIND: 'http', CRM_URL: stub.url, CRM_TOKEN: 'a-token' });
    await postgres.setSynchronous(false);

    const emailOf = async (user: number) => (await api.read<{ email: string }>(`/rest/v1/user/${user}/`)).email;
    /** @returns the mapping's id, and the contact it leads to */
    async function sync(user: number) {
      const made = new URL(await api.write('POST', '/rest/v1/crmmap/', { user_id: user })).pathname;
      for (;;) {
        const mapping = await api.read<{ status: string; crm_id: string }>(made);
        if (mapping.status === 'synced') return { id: idIn(made), contact: mapping.crm_id };
        await sleep(100);
      }
    }
    const [one, two] = [await emailOf(1), await emailOf(2)];
    await postgres.stopStandby();
    const lost = await sync(1);
    await postgres.failOver();
    while (
      await api.read('/health/ready').then(
        () => false,
        () => true,
      )
    )
      await sleep(200);

    const next = await sync(2);
    assert.equal(next.id, lost.id, 'its number was not given out again');
    assert.deepEqual([stub.contacts.get(lost.contact)?.email, stub.contacts.get(next.contact)?.email], [one, two]);
    // Whose mapping was lost is found again by their address.
    assert.equal((await sync(1)).contact, lost.contact);
    assert.equal(stub.contacts.size, 2);
  });
});
