import type { Env } from './env.ts';

/** Connections that the login of reports may have at once, over all processes. */
export const REPORT_CONNECTIONS = 50;

/** Each process's, when it asks whether the server still knows a connection that has been silent. */
const ASKING = 1;

/** How many connections to the database an API process and a worker ask for at most, each by itself. They are opened as they are needed. */
export function connectionBudget(env: Pick<Env, 'DATABASE_POOL' | 'DATABASE_LONG_POOL' | 'SEND_SLOTS'>): { api: number; worker: number } {
  return {
    // The ORM's, those of plain statements, and long reads with the explanation of one audience beside them.
    api: 2 * env.DATABASE_POOL + env.DATABASE_LONG_POOL + 1 + ASKING,
    // Activities, and for each slice one that sends and one that looks ahead.
    worker: env.DATABASE_POOL + 2 * env.SEND_SLOTS + ASKING,
  };
}
