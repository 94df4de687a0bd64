import { join, resolve } from 'node:path';
import type { Env } from '../config/env.ts';
import { readKept } from './kept-file.ts';

// Where npm start has its own PostgreSQL, Temporal server and sink, for commands that look for them. Each is null where it never had one of its own.

type Place = Pick<Env, 'DATA_DIR'>;

const kept = ({ DATA_DIR }: Place, ...file: string[]) => readKept(join(resolve(DATA_DIR), ...file)).trim();

export function keptDatabase(place: Place): string | null {
  const [password, port] = [kept(place, 'postgres', 'password'), kept(place, 'postgres', 'port')];
  return password && port ? `postgresql://campaign:${password}@127.0.0.1:${port}/campaign` : null;
}

export function keptTemporal(place: Place): string | null {
  const [port] = kept(place, 'temporal', 'ports').split(' ');
  return port ? `127.0.0.1:${port}` : null;
}

export function keptRelay(place: Place): string | null {
  const [port] = kept(place, 'sink-ports').split(' ');
  return port ? `smtp://127.0.0.1:${port}` : null;
}
