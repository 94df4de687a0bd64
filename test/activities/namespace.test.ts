import { equal, match, ok, rejects } from 'node:assert/strict';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { prepareNamespace } from '../../activities/namespace.ts';
import { SettingError } from '../../config/env.ts';
import { createNamespace } from '../support/temporal.ts';
import { startFrontend } from '../support/temporal-frontend.ts';

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

  /** One that its operators made, with search attributes of theirs. */
  const theirs = async (namespace: string, searchAttributes: Record<string, number>) => {
    await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: msToTs('1 day') });
    for (;;) {
      try {
        return await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
      } catch (error) {
        if (!/not found/.test((error as Error).message)) throw error;
      }
    }
  };
  const [KEYWORD, INT] = [2, 3];

  it('is refused where a search attribute of ours is of another type there: no run could be started', async () => {
    await theirs('typed-otherwise', { MailingId: KEYWORD });
    await rejects(prepareNamespace(connection, 'typed-otherwise'), (error: Error) => {
      ok(error instanceof SettingError);
      match(
        error.message,
        /^TEMPORAL_NAMESPACE: in typed-otherwise the search attribute MailingId is KEYWORD and has to be INT: give the platform a namespace/,
      );
      return true;
    });
  });

  it('is refused where search attributes cannot be registered, which it names: as many of a type as there may be are others’', async () => {
    await theirs('full', { A: INT, B: INT, C: INT });
    await rejects(prepareNamespace(connection, 'full'), (error: Error) => {
      ok(error instanceof SettingError);
      match(
        error.message,
        /^TEMPORAL_NAMESPACE: in full the search attributes MailingId \(INT\), UserId \(INT\), JobKind \(KEYWORD\) cannot be registered \(.*\)/,
      );
      return true;
    });
  });

  it('that may not be made, being there already, is prepared all the same', async () => {
    await theirs('made-before', { Other: INT });
    const asked = { times: 0 };
    await prepareNamespace(answering(PERMISSION_DENIED, asked), 'made-before');
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'made-before' });
    equal(customAttributes?.['JobKind'], KEYWORD);
  });

  it('is prepared, and said to want looking after, where we may not see which search attributes it has', async () => {
    const { address, namespace } = await createNamespace();
    const frontend = await startFrontend(address);
    frontend.refuse = (call) => (call === 'ListSearchAttributes' ? { code: PERMISSION_DENIED, message: 'not yours' } : null);
    const limited = await Connection.connect({ address: frontend.address });
    try {
      match(
        (await prepareNamespace(limited, namespace)) ?? '',
        /^TEMPORAL_NAMESPACE: whether test-\d+ has the search attributes MailingId \(INT\), .* is not told \(not yours\): no run can be started until/,
      );
      frontend.refuse = () => null;
      equal(await prepareNamespace(limited, namespace), null);
    } finally {
      await limited.close();
      frontend.close();
    }
  });
});
