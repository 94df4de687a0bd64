import { SettingError } from '../../config/env.ts';
import { keptAddress } from '../../mail/address.ts';
import { type Allowance, Bucket } from '../../mail/bucket.ts';

/** The rate of one recipient domain, or of all domains below one. */
export interface DomainRule {
  /** `example.org` or `*.example`; one in punycode as it reads. */
  name: string;
  /** Mails per second over all mailings and workers. */
  rate: number;
  bucket: Bucket;
}

/** What was drawn and found nobody to go to is forfeited. */
const FORFEIT_MS = 1000;
/** Digits alone: what stands behind them, as in `a=1=2`, may be a domain whose rate somebody relies on. */
const RATE = /^\d+(\.\d+)?$/;
const NAME = /^(\*\.)?[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*$/u;

/** A domain as addresses of people are kept with it, however it is written. */
function asKept(name: string): string {
  const below = name.startsWith('*.') ? '*.' : '';
  const domain = name.slice(below.length);
  return below + (keptAddress(`x@${domain}`)?.slice(2) ?? domain);
}

/** The rates of DOMAIN_RATES, one bucket each in a worker process. */
export class DomainRates {
  readonly #exact = new Map<string, DomainRule>();
  /** Those with `*.`, by what stands behind it with its dot; the longest first. */
  readonly #below: [ending: string, rule: DomainRule][] = [];

  /**
   * @param text `gmail.com=50,*.example=5`
   * @param draw from the rate called `key`, which all workers share
   * @throws SettingError
   */
  constructor(text: string, draw: (key: string, rate: number, wanted: number) => Promise<Allowance>) {
    const names = new Set<string>();
    for (const entry of text.split(',').map((each) => each.trim().toLowerCase())) {
      if (!entry) continue;
      const [given = '', value = '', more] = entry.split('=').map((each) => each.trim());
      const name = asKept(given);
      const rate = Number(value);
      if (!NAME.test(name)) throw new SettingError(`DOMAIN_RATES: “${name}” is no domain`);
      if (more !== undefined || !RATE.test(value) || rate < 0.001 || rate > 1_000_000)
        throw new SettingError(`DOMAIN_RATES: the rate of ${name} must be from 0.001 to 1000000: it is given as “${entry}”`);
      if (names.has(name)) throw new SettingError(`DOMAIN_RATES: ${name} is named twice`);
      names.add(name);
      const rule = { name, rate, bucket: new Bucket((wanted) => draw(`domain ${name}`, rate, wanted), { lifetimeMs: FORFEIT_MS }) };
      if (name.startsWith('*.')) this.#below.push([name.slice(1), rule]);
      else this.#exact.set(name, rule);
    }
    this.#below.sort(([a], [b]) => b.length - a.length);
  }

  /** The rule that holds for an address; the most particular one. */
  ruleFor(email: string): DomainRule | null {
    const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
    return this.#exact.get(domain) ?? this.#below.find(([ending]) => domain.endsWith(ending))?.[1] ?? null;
  }
}
