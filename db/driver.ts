import pg from 'pg';
import { from, to } from 'pg-copy-streams';
import { connectionTo } from './connection.ts';

// The driver's only door: its types, and the few of its functions that are needed beside a pool. Everything else of the database is asked for in words of ours.

export type { Client, ClientBase, DatabaseError, Pool, PoolClient, QueryConfig, QueryResult } from 'pg';

/** So long a connection is waited for. */
export const CONNECT_MS = 10_000;

/** A connection of its own, to be connected, which fails where the server is silent, and ended by whoever makes it. @throws SettingError */
export const newConnection = (url: string, settings: pg.ClientConfig = {}): pg.Client =>
  new pg.Client({ ...connectionTo(url), connectionTimeoutMillis: CONNECT_MS, ...settings });

/** Names and values as they stand in statements that take no parameters. */
export const { escapeIdentifier, escapeLiteral } = pg;

/** Whether the server itself refused a statement. */
export const isDatabaseError = (error: unknown): error is pg.DatabaseError => error instanceof pg.DatabaseError;

export const copyFrom = from;
export const copyTo = to;
