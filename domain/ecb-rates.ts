import { XMLParser } from 'fast-xml-parser';
import { FileError } from './errors.ts';

/** Rates of one day: units of each currency for one euro, as decimal texts, by ISO code. */
export interface DayRates {
  /** YYYY-MM-DD */
  day: string;
  rates: Record<string, string>;
}

interface DayCube {
  '@time'?: string;
  Cube?: { '@currency'?: string; '@rate'?: string }[];
}

/**
 * Reads the daily reference rates of the European Central Bank (eurofxref-daily.xml); of a file with many days the newest.
 * @throws FileError saying what is wrong with the file
 */
export function readEcbRates(xml: string): DayRates {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    // A rate is text: as a number it would have gone through a float.
    parseAttributeValue: false,
    removeNSPrefix: true,
    isArray: (name) => name === 'Cube',
  });
  const days: DayCube[] = parser.parse(xml)?.Envelope?.Cube?.[0]?.Cube ?? [];
  const [newest] = days.toSorted((a, b) => (b['@time'] ?? '').localeCompare(a['@time'] ?? ''));
  const day = newest?.['@time'] ?? '';
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) throw new FileError('This is no file of daily rates: it has no day.');
  const rates = Object.fromEntries((newest?.Cube ?? []).map((cube) => [cube['@currency'] ?? '', cube['@rate'] ?? '']));
  for (const [code, rate] of Object.entries(rates)) {
    const usable = /^[A-Z]{3}$/.test(code) && /^\d{1,10}(\.\d{1,10})?$/.test(rate) && /[1-9]/.test(rate);
    if (!usable) throw new FileError(`The rate of ${code || 'a currency without a code'} cannot be used: ${rate}`);
  }
  if (!rates['USD']) throw new FileError('There is no rate of the US dollar, which amounts are converted to.');
  return { day, rates };
}
