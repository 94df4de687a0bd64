import { createHmac } from 'node:crypto';
import { hostname } from 'node:os';
import type { Env } from './env.ts';

/** Settings that all workers have to have alike: what a mail says, and who gets it when, is otherwise a matter of which of them takes it. New ones go to the end. */
const ALIKE = [
  'SECRET_KEY',
  'BASE_URL',
  'MAIL_DOMAIN',
  'SENDING_ENABLED',
  'SEND_ONLY_TO',
  'SENDING_HOURS',
  'SENDING_TIMEZONE',
] as const satisfies (keyof Env)[];

/** Characters for each: enough to tell two apart, and nothing to find a value by. */
const MARK = 3;

/** As what a worker asks Temporal for work: its process, and a mark of each setting in `ALIKE`. */
export const workerIdentity = (env: Pick<Env, (typeof ALIKE)[number]>): string =>
  `${process.pid}@${hostname()}/${ALIKE.map((name) =>
    createHmac('sha256', env.SECRET_KEY)
      .update(`${name}=${env[name] ?? ''}`)
      .digest('base64url')
      .slice(0, MARK),
  ).join('')}`;

/** Which of these settings some workers have otherwise than others. Nothing is known of those of a release that left no marks. */
export function settingsThatDiffer(identities: readonly string[]): string[] {
  const marks = identities.flatMap((identity) => /\/([\w-]+)$/.exec(identity)?.[1] ?? []);
  const differ = ALIKE.filter((_, n) => {
    const ofOne = marks.map((all) => all.slice(n * MARK, (n + 1) * MARK)).filter((mark) => mark.length === MARK);
    return new Set(ofOne).size > 1;
  });
  // With another key all marks are others.
  return differ[0] === 'SECRET_KEY' ? ['SECRET_KEY'] : differ;
}
