import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';

/** A running server process that belongs to this one. */
export interface Child {
  readonly pid: number;
  /** Resolves, never rejects, when the process is gone; says how it ended, like `code 0` or `signal SIGKILL`. */
  readonly exited: Promise<string>;
  /** Asks it to end with the signal it was started for, and kills it when `graceMs` have passed: where none are given, those it was started with. */
  stop(graceMs?: number): Promise<void>;
}

export interface ChildSettings {
  command: string;
  args: string[];
  /** Standard output and error are appended to this file; a file over 10 MB is put aside first. */
  logFile: string;
  /** The signal that ends it in an orderly way. */
  stopSignal: NodeJS.Signals;
  /** How long it may take to end, in milliseconds. */
  graceMs?: number;
  env?: NodeJS.ProcessEnv;
  /** Run as this user (only when we are root). */
  user?: { uid: number; gid: number };
}

const LOG_LIMIT = 10 * 1024 * 1024;
const GRACE_MS = 30_000;

/**
 * Starts a server that lives as long as this process and no longer: not past our own SIGKILL either, for a guard process holds the other
 * end of a pipe and ends the server when the pipe breaks. The server gets a session of its own, so that Ctrl-C in a terminal
 * reaches only us and everything ends in order.
 * @throws when the program cannot be run at all
 */
export async function startChild(settings: ChildSettings): Promise<Child> {
  mkdirSync(dirname(settings.logFile), { recursive: true });
  if ((statSync(settings.logFile, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT)
    renameSync(settings.logFile, `${settings.logFile}.old`);
  const log = openSync(settings.logFile, 'a', 0o600);
  const child = spawn(settings.command, settings.args, {
    detached: true,
    stdio: ['ignore', log, log],
    cwd: '/',
    env: settings.env ?? process.env,
    ...settings.user,
  });
  closeSync(log);
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `code ${code}`));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(new Error(`${settings.command} cannot be run: ${error.message}`)));
  });
  const pid = child.pid!;
  const dismissGuard = guard(pid, settings.stopSignal);
  void exited.then(dismissGuard);
  return {
    pid,
    exited,
    async stop(graceMs = settings.graceMs ?? GRACE_MS) {
      child.kill(settings.stopSignal);
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** A shell that waits for our end of its pipe to break and then ends the process. Returns what calls it off. */
function guard(pid: number, signal: NodeJS.Signals): () => void {
  const shell = spawn('sh', ['-c', 'read -r line; kill -s "$2" "$1"', 'guard', String(pid), signal.slice(3)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
  });
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  shell.unref();
  (shell.stdin as unknown as Socket).unref();
  return () => shell.kill('SIGKILL');
}

/** The last lines of a server's log, for error messages. */
export function logTail(logFile: string, lines = 12): string {
  try {
    return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '(no log)';
  }
}
