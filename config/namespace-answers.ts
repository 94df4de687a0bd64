import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, isGrpcServiceError, NamespaceNotFoundError } from '@temporalio/client';

/** gRPC's number for what is not there. */
const NOT_FOUND = 5;
/** `NAMESPACE_STATE_DELETED`. */
const DELETED = 3;
const SAYS_WITHIN_MS = 1_000;

/**
 * Asks the workflow service whether it is there, and our namespace in it: without that nothing can be started, and no worker gets anything to do. Only where it says that there
 * is none: a login may not be let ask, and a busy cluster answers this last.
 * @throws NamespaceNotFoundError, or what it does not answer with
 */
export async function namespaceAnswers({ workflowService }: Pick<Connection, 'workflowService'>, namespace: string): Promise<void> {
  const gone = workflowService.describeNamespace({ namespace }).then(
    ({ namespaceInfo }) => namespaceInfo?.state === DELETED,
    (error) => isGrpcServiceError(error) && error.code === NOT_FOUND,
  );
  await workflowService.getSystemInfo({});
  if (await Promise.race([gone, sleep(SAYS_WITHIN_MS, false)])) throw new NamespaceNotFoundError(namespace);
}
