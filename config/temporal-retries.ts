import { defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';

/** gRPC's number for what is asked too much. */
const RESOURCE_EXHAUSTED = 8;
/** The last one after two seconds: a limit of some seconds is noticed by nobody, and of a longer one Temporal's own words are heard before a request's patience is over. */
const MOST_TRIES = 3;
const AGAIN_MS = 1_000;

const { retryableDecider, delayFunction } = defaultGrpcRetryOptions();

type Interceptor = ReturnType<typeof makeGrpcRetryInterceptor>;
type Call = ReturnType<Interceptor>;

/** gRPC's number for what was given up by whoever asked. */
const CANCELLED = 1;

/** A try whose time comes when the connection was closed is told that it was given up: the library throws in a timer of its own, which ends the process. */
const untilClosed: Interceptor = (options, nextCall) => {
  try {
    return nextCall(options) as Call;
  } catch (error) {
    return givenUp((error as Error).message);
  }
};

function givenUp(details: string): Call {
  const none = () => {};
  const call: Pick<Call, 'start' | 'sendMessage' | 'sendMessageWithContext' | 'startRead' | 'halfClose' | 'cancelWithStatus' | 'getPeer'> =
    {
      start: (metadata, listener) => listener?.onReceiveStatus?.({ code: CANCELLED, details, metadata }),
      sendMessage: none,
      sendMessageWithContext: none,
      startRead: none,
      halfClose: none,
      cancelWithStatus: none,
      getPeer: () => '',
    };
  return call as Call;
}

/** How often a client asks Temporal again: as its library does, but for what the cluster limits, which would end as an answer that did not come. */
export const TEMPORAL_RETRIES = [
  makeGrpcRetryInterceptor({
    retryableDecider: (attempt, status) =>
      (status.code !== RESOURCE_EXHAUSTED || attempt < MOST_TRIES) && retryableDecider(attempt, status),
    delayFunction: (attempt, status) =>
      status.code === RESOURCE_EXHAUSTED ? AGAIN_MS * (0.8 + 0.4 * Math.random()) : delayFunction(attempt, status),
  }),
  untilClosed,
];
