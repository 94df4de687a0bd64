import { lookAtTemporal } from '../api/health/temporal.ts';
import { lookAtDatabase } from '../core/health/database.ts';
import { baseUrlOfApi, lookAtApi, lookAtDisk, lookAtVersions } from '../core/health/machine.ts';
import { lookAtRelays } from '../core/health/relays.ts';
import type { Finding } from '../domain/finding.ts';
import { keptDatabase, keptRelay, keptTemporal } from '../embedded/kept-addresses.ts';
import type { Command } from './command.ts';
import { RefusedError, table, UsageError } from './terminal.ts';

const SIGNS: Record<Finding['state'], string> = { well: 'ok', look: 'look', wrong: 'WRONG' };

/** Asks every part whether it is there and well; changes nothing. @throws RefusedError when one is not */
export const doctor: Command = async ({ env: given, words, say }) => {
  if (words.length) throw new UsageError('doctor takes no words');
  const [database, temporal] = [given.DATABASE_URL ?? keptDatabase(given), given.TEMPORAL_ADDRESS ?? keptTemporal(given)];
  const relay = given.SMTP_URL ?? (given.SMTP_RELAYS ? null : keptRelay(given));
  const env = {
    ...given,
    ...(database && { DATABASE_URL: database }),
    ...(temporal && { TEMPORAL_ADDRESS: temporal }),
    ...(relay && { SMTP_URL: relay }),
  };
  const parts = await Promise.all([
    lookAtDatabase(database, env),
    lookAtTemporal(env, baseUrlOfApi(env)),
    lookAtRelays(env),
    lookAtApi(env),
    lookAtDisk(env),
  ]);
  const all = [...parts.flat(), lookAtVersions()];
  const isOwn = (!given.DATABASE_URL && database) || (!given.TEMPORAL_ADDRESS && temporal);
  const findings = isOwn ? all.map((finding) => ({ ...finding, todo: whereStarted(finding.todo) })) : all;
  const lines = findings.map(({ part, state, says, todo }) => [SIGNS[state], part, says, todo]);
  say(findings, () => table(['', 'part', 'found', 'what to do'], lines));
  const bad = findings.filter(({ state }) => state === 'wrong').length;
  if (bad) throw new RefusedError(bad === 1 ? 'One part is not well.' : `${bad} parts are not well.`);
};

/** What to do where npm start runs all parts: it does at each start what these do, which by themselves know no database of its own. */
const whereStarted = (todo: string): string =>
  todo.replace(/(run )?npm run migrate/, 'a restart of npm start').replace(/npm run (worker|api)\b/, 'npm start');
