import { Connection, type ConnectionLike, type ConnectionPlugin, type Metadata } from '@temporalio/client';
import type { TemporalConnection } from './temporal.ts';
import { TEMPORAL_RETRIES } from './temporal-retries.ts';

/** Longer than any request to Temporal may take. */
const ENDED_AFTER_MS = 60_000;

const connect = (place: TemporalConnection) => Connection.lazy({ ...place, interceptors: TEMPORAL_RETRIES });

/** A client's connection to Temporal, made when it is used, that can be made anew under the clients that have it. */
export class RenewableConnection implements ConnectionLike {
  #now: Connection;

  constructor(place: TemporalConnection) {
    this.#now = connect(place);
  }

  /** From now on what is asked goes over a new connection; what is under way ends on the old one. */
  renew(place: TemporalConnection): void {
    const old = this.#now;
    this.#now = connect(place);
    setTimeout(() => old.close(), ENDED_AFTER_MS).unref();
  }

  get workflowService() {
    return this.#now.workflowService;
  }
  get operatorService() {
    return this.#now.operatorService;
  }
  get plugins(): ConnectionPlugin[] {
    return this.#now.plugins;
  }
  close(): Promise<void> {
    return this.#now.close();
  }
  ensureConnected(): Promise<void> {
    return this.#now.ensureConnected();
  }
  withDeadline<Result>(deadline: number | Date, ask: () => Promise<Result>): Promise<Result> {
    return this.#now.withDeadline(deadline, ask);
  }
  withMetadata<Result>(metadata: Metadata, ask: () => Promise<Result>): Promise<Result> {
    return this.#now.withMetadata(metadata, ask);
  }
  withAbortSignal<Result>(signal: AbortSignal, ask: () => Promise<Result>): Promise<Result> {
    return this.#now.withAbortSignal(signal, ask);
  }
}
