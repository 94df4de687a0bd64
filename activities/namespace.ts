import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, isGrpcServiceError } from '@temporalio/client';
import { encodeSearchAttributeIndexedValueType as numberOf } from '@temporalio/common/lib/search-attributes.js';
import { msToTs } from '@temporalio/common/lib/time.js';
import { SettingError } from '../config/env.ts';
import { absentAttributes, attributesOfOtherTypes, shownAttributes } from '../config/search-attributes.ts';
import { SEARCH_ATTRIBUTE } from '../workflows/contracts.ts';

// Codes of gRPC.
const DEADLINE_EXCEEDED = 4;
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;
/** For a login that may not ask, and a cluster that lets nobody. */
const NOT_TOLD: unknown[] = [7, 12];
const RESOURCE_EXHAUSTED = 8;
const UNAVAILABLE = 14;
/** A busy server says so in place of an answer. */
const BUSY: unknown[] = [DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE];
const isBusy = (error: unknown) => BUSY.includes(codeOf(error));
const RETENTION = '30 days';
const NOTICED_WITHIN_MS = 60_000;

/**
 * Makes the namespace if there is none of that name (runs stay to be looked at for 30 days after their end) and registers the search attributes
 * of our runs in it; what is there already is left as it is. It may be run at any time; a server that is busy is asked again for a minute.
 * @returns in words what cannot be told: whether it has those search attributes, where our login may do everything else, say; null otherwise
 * @throws the server's error when the namespace is absent and we may not make it; SettingError where its search attributes are not what runs are started with, and
 * cannot be made so
 */
export async function prepareNamespace(connection: Connection, namespace: string): Promise<string | null> {
  for (const giveUp = performance.now() + NOTICED_WITHIN_MS; ; await sleep(1000)) {
    // Made without asking first: the server would remember for seconds that it is absent.
    const denied = await connection.workflowService
      .registerNamespace({ namespace, workflowExecutionRetentionPeriod: msToTs(RETENTION) })
      .then(() => undefined)
      .catch((error: unknown) => (codeOf(error) === ALREADY_EXISTS ? undefined : error));
    try {
      return await registerSearchAttributes(connection, namespace);
    } catch (error) {
      // All parts of a server cluster notice a new namespace within seconds.
      const absent = codeOf(error) === NOT_FOUND;
      const passes = isBusy(error) || (absent && (!denied || isBusy(denied)));
      if (!passes || performance.now() > giveUp) throw (absent && denied) || error;
    }
  }
}

async function registerSearchAttributes(connection: Connection, namespace: string): Promise<string | null> {
  const needed = Object.values(SEARCH_ATTRIBUTE);
  const listed = await connection.operatorService.listSearchAttributes({ namespace }).catch((error: unknown) => {
    if (isGrpcServiceError(error) && NOT_TOLD.includes(error.code)) return error.details || error.message;
    throw error;
  });
  if (typeof listed === 'string') {
    // One that is let do nothing there, or has none there, is refused.
    await connection.workflowService.describeNamespace({ namespace });
    return `TEMPORAL_NAMESPACE: whether ${namespace} has the search attributes ${shownAttributes(needed)} is not told (${listed}): no run can be started until whoever may has registered them`;
  }
  const { customAttributes: there } = listed;
  const others = attributesOfOtherTypes(there, needed);
  if (others) throw new SettingError(`TEMPORAL_NAMESPACE: in ${namespace} the search attribute ${others}: ${OF_ITS_OWN}`);
  const absent = absentAttributes(there, needed);
  if (!absent.length) return null;
  const searchAttributes = Object.fromEntries(absent.map(({ name, type }) => [name, numberOf(type)!]));
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes }).catch((error: unknown) => {
    if (!isGrpcServiceError(error) || isBusy(error) || error.code === NOT_FOUND) throw error;
    const refused = `${shownAttributes(absent)} cannot be registered (${error.details})`;
    throw new SettingError(
      `TEMPORAL_NAMESPACE: in ${namespace} the search attributes ${refused}: have that done by who may, or ${OF_ITS_OWN}`,
    );
  });
  return null;
}

const OF_ITS_OWN = 'give the platform a namespace of its own';

const codeOf = (error: unknown) => (isGrpcServiceError(error) ? error.code : undefined);
