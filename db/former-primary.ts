import type pg from 'pg';

/** Where a database takes no changes for good, its connections are made anew no more often than this. */
const ANEW_EVERY_MS = 1_000;
/** A change was refused since the session, or the server, only reads. */
const READ_ONLY = '25006';

type Client = pg.PoolClient & { connection: pg.Connection };

interface Connections {
  readonly pools: Set<pg.Pool>;
  readonly all: Set<pg.PoolClient>;
  readonly stale: WeakSet<pg.PoolClient>;
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
  const connections = databases.get(databaseUrl) ?? { pools: new Set(), all: new Set(), stale: new WeakSet(), anewAt: -ANEW_EVERY_MS };
  databases.set(databaseUrl, connections);
  ofPools.set(pool, connections);
  const { pools, all, stale } = connections;
  pool.on('connect', (client) => {
    pools.add(pool);
    all.add(client);
    (client as Client).connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === READ_ONLY) makeAnew(connections);
    });
  });
  pool.on('release', (_error, client) => {
    // A pool drops what is about to end.
    if (stale.has(client)) client.end(() => {});
  });
  pool.on('remove', (client) => {
    all.delete(client);
    if (pool.totalCount === 0) pools.delete(pool);
  });
}

/** A pool's connections lead to what takes no changes, or confirms none. */
export function doubtConnections(pool: pg.Pool): void {
  const connections = ofPools.get(pool);
  if (connections) makeAnew(connections);
}

/** Each goes when it is given back; those that are idle are taken for that alone, so that nobody is given one that is about to end. */
function makeAnew(connections: Connections): void {
  const now = performance.now();
  if (now - connections.anewAt < ANEW_EVERY_MS) return;
  connections.anewAt = now;
  for (const client of connections.all) connections.stale.add(client);
  for (const pool of connections.pools)
    for (let idle = pool.idleCount; idle > 0; idle--)
      pool.connect().then(
        (client) => client.release(),
        () => {},
      );
}
