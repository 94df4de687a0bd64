import { readEnv, SettingError } from '../config/env.ts';
import { admin } from './admin.ts';
import { type Call, type Command, type OPTIONS, parse } from './command.ts';
import { list, resume, show, stop } from './mailing.ts';
import { reports } from './reports.ts';
import { Rest } from './rest.ts';
import { sends } from './sends.ts';
import { AwayError, EXIT, plain, RefusedError, type Terminal, UnreadError, UsageError } from './terminal.ts';
import { user } from './user.ts';
import { watch } from './watch.ts';

/** By area and name, or by one word alone. */
const COMMANDS: Record<string, Command | Record<string, Command>> = {
  // Speaks to every service: no other command needs what that takes.
  doctor: async (call) => (await import('./doctor.ts')).doctor(call),
  workers: async (call) => (await import('./workers.ts')).workers(call),
  sends,
  mailing: { list, show, watch, stop, resume },
  user,
  admin,
  reports,
};

/** Which options mean something to which command; --json does to all. */
const TAKES: Record<string, (keyof typeof OPTIONS)[]> = {
  'mailing list': ['status', 'limit'],
  'mailing resume': ['yes'],
  'reports import': ['dialect'],
  'admin create': ['email', 'generate', 'password-stdin'],
};

export const USAGE = `The campaign platform from a terminal.

  npm run --silent cli -- <command>

  mailing list [--status sending,stopped] [--limit 20]   the newest mailings and how far they are
  mailing show ID                                        where one stands, in numbers
  mailing watch ID                                       shows it on its way until it has ended: how far, how fast, how long
  mailing stop ID                                        stops it within seconds
  mailing resume ID [--yes]                              goes on with exactly those who have not been mailed
  doctor                                                 whether every part is there and well, a line each, and what to do
  sends                                                  all that is on its way, came to a halt with people left, or has uncertain ones to settle
  sends hold                                             stops all that is on its way, and makes drafts of all that waits
  workers                                                which builds of the workers there are, where they name one (WORKER_BUILD_ID)
  workers current BUILD                                  gives all runs to this build; none: to workers that name none
  workers ramp BUILD PERCENT                             gives a part of the runs to this build, to try it
  user find EMAIL|ID                                     who somebody is
  admin create NAME --generate [--email ADDRESS]         a superuser, straight into the database
  admin create NAME --password-stdin                     the same with a password from standard input
  reports import FILE [--dialect mysql]                  saved reports from JSON, CSV, a .sql file or a folder of them; says of each whether it runs
  help                                                   this

  --json    the result as JSON

Settings, from the environment or .env: API_URL (default BASE_URL), API_USERNAME and API_PASSWORD (default ADMIN_USERNAME and ADMIN_PASSWORD);
admin create and doctor use DATABASE_URL, doctor and workers TEMPORAL_ADDRESS, doctor SMTP_URL or SMTP_RELAYS, too, or what npm start keeps in DATA_DIR.
Ends with 0 when it is done, 1 when it was refused or is not there, 2 when the command cannot be understood, 3 when the platform cannot be reached.`;

/**
 * Runs one command.
 * @param source of the settings, usually process.env
 * @returns the exit code
 */
export async function runCommand(args: string[], source: Record<string, string | undefined>, terminal: Terminal): Promise<number> {
  try {
    const { values: options, positionals } = read(args);
    const [area, ...rest] = positionals;
    if (options.help || area === 'help' || area === undefined) {
      terminal.out(USAGE);
      return area === undefined && !options.help ? EXIT.usage : EXIT.done;
    }
    const { name, command, words } = find(area, rest);
    const taken = TAKES[name] ?? [];
    const odd = Object.keys(options).find((option) => option !== 'json' && !taken.includes(option as never));
    if (odd) throw new UsageError(`${name} takes no --${odd}`);
    const env = readEnv(source);
    const say: Call['say'] = (result, text) => terminal.out(options.json ? JSON.stringify(result, null, 2) : text());
    await command({ env, rest: new Rest(env), words, options, terminal, say });
    return EXIT.done;
  } catch (error) {
    if (error instanceof UnreadError) return EXIT.done;
    const code = codeOf(error);
    if (code === null) throw error;
    // What a mailing died of may hold what strangers typed.
    terminal.problem(plain((error as Error).message));
    return code;
  }
}

/** @throws UsageError */
function find(area: string, rest: string[]): { name: string; command: Command; words: string[] } {
  const entry = Object.hasOwn(COMMANDS, area) ? COMMANDS[area] : undefined;
  if (typeof entry === 'function') return { name: area, command: entry, words: rest };
  const [second, ...words] = rest;
  const command = entry && second && Object.hasOwn(entry, second) ? entry[second] : undefined;
  const name = [area, second].filter(Boolean).join(' ');
  if (!command && entry) {
    const known = Object.keys(entry).join(', ');
    throw new UsageError(`${area} ${second ? `has no ${second}: it has ${known}` : `needs one of ${known}`}; "help" says what each does`);
  }
  if (!command) throw new UsageError(`There is no command ${name}; "help" lists them`);
  return { name, command, words };
}

function read(args: string[]): ReturnType<typeof parse> {
  try {
    return parse(args);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function codeOf(error: unknown): number | null {
  if (error instanceof UsageError || error instanceof SettingError) return EXIT.usage;
  if (error instanceof RefusedError) return EXIT.refused;
  return error instanceof AwayError ? EXIT.away : null;
}
