/** The database has no room left on its disk. */
export const isDatabaseFull = (error: unknown): boolean => (error as { code?: string }).code === '53100';

/** A disk of this machine that takes no more: not that of the database, which says so in codes of its own. */
export const isDiskFull = (error: unknown): boolean => /^(ENOSPC|EDQUOT)$/.test((error as { code?: string }).code ?? '');

const FAILURES = /^(EROFS|EIO|EACCES|EPERM|ESTALE|ENOTDIR|ENXIO|ENODEV|EFBIG)$/;
const OF_FILES = /^(open|read|writev?|f?stat|rename|unlink|rm|scandir)$/;

/**
 * One that cannot be written to, or read: the system has made it read-only over a failure, a server it is on is away, or it is somebody else's. A folder that cannot be made on
 * one is said to be missing.
 */
export function isDiskAway(error: unknown): boolean {
  const { code = '', syscall = '' } = error as { code?: string; syscall?: string };
  return syscall === 'mkdir' || (OF_FILES.test(syscall) && FAILURES.test(code));
}
