import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

// PostgreSQL refuses to run as root. As root we run it as somebody else; as anybody else, as ourselves.

export interface Identity {
  uid: number;
  gid: number;
}

/** How to start a program as somebody who is not root. */
export interface Launch {
  command: string;
  args: string[];
  user?: Identity;
}

/**
 * Who the server runs as when we are root: the owner of a data folder that is already there, else `postgres`, else `nobody`.
 * @returns undefined when we are not root
 */
export function serverIdentity(dataFolder: string): Identity | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(dataFolder, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = accounts.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is no user postgres or nobody: start this as another user, or set DATABASE_URL',
  );
}

/**
 * The command that runs a program as `identity`. A project or data folder under a closed home (`/root` is usually 0700) would be out of
 * that user's reach: then the program keeps, of all root's powers, the one to pass through closed folders.
 */
export function launchAs(identity: Identity | undefined, paths: string[], command: string, args: string[]): Launch {
  if (!identity) return { command, args };
  if (paths.every((path) => isReachable(path, identity))) return { command, args, user: identity };
  if (spawnSync('setpriv', ['--version']).status !== 0) {
    throw new Error(
      `PostgreSQL cannot run as root, and user ${identity.uid} cannot reach ${paths.join(' or ')}: start this as another user`,
    );
  }
  const ids = [`--reuid=${identity.uid}`, `--regid=${identity.gid}`, '--clear-groups'];
  return {
    command: 'setpriv',
    args: [...ids, '--securebits=+no_setuid_fixup', '--inh-caps=+dac_override', '--ambient-caps=+dac_override', command, ...args],
  };
}

function isReachable(path: string, { uid, gid }: Identity): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode, uid: owner, gid: group } = statSync(folder);
    const bit = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001;
    if (!(mode & bit)) return false;
    if (folder === dirname(folder)) return true;
  }
}
