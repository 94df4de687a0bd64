import { ApplicationFailure } from '@temporalio/common';
import { InputError, NotFoundError, PermissionError } from '../domain/errors.ts';
import { StatementError } from '../domain/reports/statement.ts';
import { Problem, RenderError, TemplateError } from '../domain/template/errors.ts';
import { RebuildError } from '../entities/targeting/rebuild-error.ts';

// The one place that knows which errors trying again cannot mend. All others are tried again: what is away comes back, and a mistake of ours is mended by the
// next version.

/** What stored content, targeting or statements are refused with: the same each time, until somebody changes them. */
const FINAL = [InputError, NotFoundError, PermissionError, Problem, RebuildError, RenderError, StatementError, TemplateError];

/** Data exceptions and sizes past the server's limits. Not violated constraints, which may be a race, nor unknown tables, which an upgrade brings. */
const FINAL_CODES = /^(22...|54...)$/;

/** Why trying again cannot mend an error; null when it may. */
export function finalReason(error: unknown): string | null {
  if (error instanceof ApplicationFailure) return error.nonRetryable ? error.message : null;
  if (FINAL.some((kind) => error instanceof kind)) return (error as Error).message;
  const { code } = error as { code?: unknown };
  // Not the database's own words, which quote the value.
  return typeof code === 'string' && FINAL_CODES.test(code) ? `the database cannot store or read a value (${code})` : null;
}

/** The same activities, their final errors told as such to the workflow. */
export function failingFinally<Activities extends object>(activities: Activities): Activities {
  const wrapped = Object.entries(activities).map(([name, run]: [string, (...args: unknown[]) => Promise<unknown>]) => [
    name,
    async (...args: unknown[]) => {
      try {
        return await run(...args);
      } catch (error) {
        const reason = error instanceof ApplicationFailure ? null : finalReason(error);
        throw reason === null ? error : ApplicationFailure.nonRetryable(reason, (error as Error).constructor.name);
      }
    },
  ]);
  return Object.fromEntries(wrapped) as Activities;
}
