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

type Alike = (typeof ALIKE)[number];
type Marked = Pick<Env, Alike>;

const marksOf = (env: Marked): string[] =>
  ALIKE.map((name) =>
    createHmac('sha256', env.SECRET_KEY)
      .update(`${name}=${env[name] ?? ''}`)
      .digest('base64url')
      .slice(0, MARK),
  );

/** The mark of one setting that each worker has left; not that of a release that left none. */
const markOf = (name: Alike, identities: readonly string[]): string[] => {
  const at = ALIKE.indexOf(name) * MARK;
  const marks = identities.flatMap((identity) => /\/([\w-]+)$/.exec(identity)?.[1] ?? []);
  return marks.map((all) => all.slice(at, at + MARK)).filter((mark) => mark.length === MARK);
};

/** As what a worker asks Temporal for work: its process, and a mark of each setting in `ALIKE`. */
export const workerIdentity = (env: Marked): string => `${process.pid}@${hostname()}/${marksOf(env).join('')}`;

/** Which of these settings some workers have otherwise than others. Nothing is known of those of a release that left no marks. */
export function settingsThatDiffer(identities: readonly string[]): string[] {
  const differ = ALIKE.filter((name) => new Set(markOf(name, identities)).size > 1);
  // With another key all marks are others.
  return differ[0] === 'SECRET_KEY' ? ['SECRET_KEY'] : differ;
}

/** Whether some worker has a setting otherwise than `env`. With another SECRET_KEY, as a command may have by its default, that cannot be told: false. */
export function isOtherwise(name: Alike, env: Marked, identities: readonly string[]): boolean {
  const ours = marksOf(env);
  const other = (of: Alike) => markOf(of, identities).some((mark) => mark !== ours[ALIKE.indexOf(of)]);
  return !other('SECRET_KEY') && other(name);
}
