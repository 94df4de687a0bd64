import type { Budget } from '../template/budget.ts';
import type { TemplateOptions } from '../template/contracts.ts';
import { Problem } from '../template/errors.ts';
import { type MailingContent, reportKey } from './contracts.ts';
import { plainTextOf } from './plain-text.ts';
import type { Needs } from './variables.ts';

/** What templates of a mailing mention and do not hold themselves: snippets, and rows of saved reports. */
export class Mentioned {
  readonly #content: Pick<MailingContent, 'snippets' | 'reports'>;
  readonly #needs: Needs;
  readonly #budget: Budget;
  readonly #texts = new Map<string, string>();

  constructor(content: Pick<MailingContent, 'snippets' | 'reports'>, needs: Needs, budget: Budget) {
    this.#budget = budget;
    this.#content = content;
    this.#needs = needs;
  }

  /** @param html whether a snippet's HTML is meant, or its text */
  readonly options = (html: boolean): Pick<TemplateOptions<unknown>, 'snippet' | 'report'> => ({
    snippet: (name) => this.#snippet(name, html),
    report: (name, parameters) => this.#rows(name, parameters),
  });

  #snippet(name: string, html: boolean): string | null {
    const { snippets = {} } = this.#content;
    const found = Object.hasOwn(snippets, name) ? snippets[name]! : null;
    if (!found || html) return found?.html ?? null;
    if (found.text) return found.text;
    const known = this.#texts.get(name) ?? textOf(found.html, this.#budget);
    this.#texts.set(name, known);
    return known;
  }

  #rows: NonNullable<TemplateOptions<unknown>['report']> = (name, parameters) => {
    const { reports = {} } = this.#content;
    const report = Object.hasOwn(reports, name) ? reports[name]! : null;
    if (!report) throw new Problem(`there is no report “${name}”`);
    const missing = report.parameters.filter((parameter) => !Object.hasOwn(parameters, parameter));
    if (missing.length) throw new Problem(`the report “${name}” needs ${missing.join(', ')}`);
    const key = reportKey(parameters);
    this.#needs.reports.set(`${name} ${key}`, { name, parameters });
    return report.runs[key] ?? [];
  };
}

function textOf(html: string, budget: Budget): string {
  try {
    return plainTextOf(html, budget);
  } catch (error) {
    throw error instanceof RangeError ? new Problem(error.message) : error;
  }
}
