import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Legislator } from '../../domain/whipcounts/legislators.ts';

// The members of Congress and the districts of zips: from the public files where SHARED_DATA (default ../shared/data, beside the project) has them,
// else a small Congress of our own making with the same shape.

const BESIDE = ['../../../shared/data', '../../../../shared/data'].map((path) => new URL(path, import.meta.url).pathname);
export const FOLDER = process.env['SHARED_DATA'] ?? BESIDE.find((path) => existsSync(path)) ?? '';

const SAMPLE_STATES = ['CA', 'NY', 'TX', 'WY'];

function sample(): Legislator[] {
  const person = (n: number, first: string, party: string, term: object): Legislator => ({
    id: { bioguide: `X${String(n).padStart(6, '0')}` },
    name: { first, last: `Sample-${n}` },
    bio: { gender: n % 2 ? 'F' : 'M' },
    terms: [{ party, phone: `202-224-${String(1000 + n)}`, start: '2025-01-03', end: '2031-01-03', ...term }],
  });
  return SAMPLE_STATES.flatMap((state, index) => [
    person(index * 10 + 1, 'Ann', 'Democrat', { type: 'sen', state, state_rank: 'senior' }),
    person(index * 10 + 2, 'Bob', 'Republican', { type: 'sen', state, state_rank: 'junior' }),
    person(index * 10 + 3, 'Cid', 'Democrat', { type: 'rep', state, district: state === 'WY' ? 0 : 12 }),
  ]);
}

export function legislators(): Legislator[] {
  const file = `${FOLDER}/legislators-current.yaml`;
  return existsSync(file) ? (parse(readFileSync(file, 'utf8')) as Legislator[]) : sample();
}

/** Zip and district (`CA_12`), as many rows as there are. */
export function zipDistricts(): { zip: string; place: string }[] {
  const file = `${FOLDER}/zip-to-congressional-district.csv`;
  if (!existsSync(file)) return SAMPLE_STATES.map((state, n) => ({ zip: `9000${n}`, place: state === 'WY' ? 'WY_00' : `${state}_12` }));
  const lines = readFileSync(file, 'utf8').trim().split('\n').slice(1);
  return lines.map((line) => {
    const [, state = '', zip = '', cd = ''] = line.trim().split(',');
    return { zip, place: `${state}_${cd.padStart(2, '0')}` };
  });
}
