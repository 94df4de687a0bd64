import { InputError, NotFoundError, PermissionError } from '../domain/errors.ts';
import { StatementError } from '../domain/reports/statement-error.ts';
import { Problem, RenderError, TemplateError } from '../template/errors.ts';
import { RebuildError } from './targeting/rebuild-error.ts';

// The one place that knows which errors trying again cannot mend. All others are tried again: what is away comes back, and a mistake of ours is mended by the
// next version.

/** What stored content, targeting or statements are refused with: the same each time, until somebody changes them. */
const FINAL = [InputError, NotFoundError, PermissionError, Problem, RebuildError, RenderError, StatementError, TemplateError];

/** Data exceptions and sizes past the server's limits. Not violated constraints, which may be a race, nor unknown tables, which an upgrade brings. */
const FINAL_CODES = /^(22...|54...)$/;

/** Why trying again cannot mend an error; null when it may. */
export function finalReason(error: unknown): string | null {
  if (FINAL.some((kind) => error instanceof kind)) return (error as Error).message;
  const { code } = error as { code?: unknown };
  // Not the database's own words, which quote the value.
  return typeof code === 'string' && FINAL_CODES.test(code) ? `the database cannot store or read a value (${code})` : null;
}
