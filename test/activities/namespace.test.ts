import { equal, ok, rejects } from 'node:assert/strict';
import { Connection } from '@temporalio/client';
import { prepareNamespace } from '../../activities/namespace.ts';
import { createNamespace } from '../support/temporal.ts';

const PERMISSION_DENIED = 7;
const UNAVAILABLE = 14;

describe('a namespace that is prepared', () => {
  let connection: Connection;

  before(async () => {
    const { address } = await createNamespace();
    connection = await Connection.connect({ address });
  });
  after(() => connection.close());

  /** The real server, which answers the first request for a namespace with this code. */
  const answering = (code: number, asked: { times: number }) =>
    ({
      operatorService: connection.operatorService,
      workflowService: {
        registerNamespace: async (request: object) => {
          if (asked.times++ === 0) throw Object.assign(new Error('not now'), { code, details: 'not now', metadata: {} });
          return connection.workflowService.registerNamespace(request);
        },
      },
    }) as unknown as Connection;

  it('is asked for again where the server is busy', async () => {
    const asked = { times: 0 };
    await prepareNamespace(answering(UNAVAILABLE, asked), 'busy');
    equal(asked.times, 2);
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'busy' });
    ok(Object.keys(customAttributes ?? {}).length > 0);
  });

  it('is given up at once where we may not make it', async () => {
    const asked = { times: 0 };
    await rejects(prepareNamespace(answering(PERMISSION_DENIED, asked), 'not-ours'), /not now/);
    equal(asked.times, 1);
  });
});
