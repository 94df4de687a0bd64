import type pg from 'pg';

/** Where a database takes no changes for good, its connections are made anew no more often than this. */
const ANEW_EVERY_MS = 1_000;
/** A change was refused since the session, or the server, only reads. */
const READ_ONLY = '25006';

type Client = pg.PoolClient & { connection: pg.Connection };

interface Connections {
  /** Whether each is at work. */
  readonly all: Map<Client, boolean>;
  readonly stale: WeakSet<Client>;
  anewAt: number;
}

/** Of each database, whatever pools there are. */
const databases = new Map<string, Connections>();
const ofPools = new WeakMap<pg.Pool, Connections>();

/**
 * Has all connections to a database made anew once one of them takes no changes. The address may lead elsewhere by now, while those from before go on with who was
 * the primary; or the sessions were begun while the database was set to be read only. A pool gives out first what was given back last, so that one that is asked
 * something each second, whether all is well, say, would never be another.
 * @param pool of connections to `databaseUrl`
 */
export function leaveFormerPrimary(pool: pg.Pool, databaseUrl: string): void {
  const connections = databases.get(databaseUrl) ?? { all: new Map(), stale: new WeakSet(), anewAt: Number.NEGATIVE_INFINITY };
  databases.set(databaseUrl, connections);
  ofPools.set(pool, connections);
  const { all, stale } = connections;
  pool.on('connect', (client) => {
    all.set(client as Client, true);
    (client as Client).connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === READ_ONLY) makeAnew(connections);
    });
  });
  pool.on('acquire', (client) => all.set(client as Client, true));
  pool.on('release', (_error, client) => {
    all.set(client as Client, false);
    // A pool drops what is about to end.
    if (stale.has(client as Client)) client.end(() => {});
  });
  pool.on('remove', (client) => all.delete(client as Client));
}

/** A pool's connections lead to what takes no changes, or confirms none. */
export function doubtConnections(pool: pg.Pool): void {
  const connections = ofPools.get(pool);
  if (connections) makeAnew(connections);
}

/** Those at work go when they are given back. */
function makeAnew(connections: Connections): void {
  const now = performance.now();
  if (now - connections.anewAt < ANEW_EVERY_MS) return;
  connections.anewAt = now;
  for (const [client, atWork] of connections.all)
    if (atWork) connections.stale.add(client);
    else client.connection.stream.destroy();
}
