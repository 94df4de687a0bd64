/** The database has no room left on its disk. */
export const isDatabaseFull = (error: unknown): boolean => (error as { code?: string }).code === '53100';

/** A disk of this machine that takes no more: not that of the database, which says so in codes of its own. */
export const isDiskFull = (error: unknown): boolean => /^(ENOSPC|EDQUOT)$/.test((error as { code?: string }).code ?? '');
