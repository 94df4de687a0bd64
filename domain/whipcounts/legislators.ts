import type { TargetType } from '../words.ts';

// The public file of the members of the US Congress (unitedstates/congress-legislators), one entry made into one target.

/** As much of an entry as is read. Everything may be missing: it is somebody else's file. */
export interface Legislator {
  id?: { bioguide?: unknown };
  name?: { first?: unknown; last?: unknown; nickname?: unknown; suffix?: unknown };
  bio?: { gender?: unknown };
  terms?: Term[];
}

interface Term {
  type?: unknown;
  start?: unknown;
  end?: unknown;
  state?: unknown;
  district?: unknown;
  state_rank?: unknown;
  party?: unknown;
  phone?: unknown;
  fax?: unknown;
  contact_form?: unknown;
  url?: unknown;
}

export interface LoadedTarget {
  bioguide: string;
  type: TargetType;
  state: string;
  seat: string;
  us_district: string;
  first: string;
  last: string;
  gender: string;
  party: string;
  title: string;
  long_title: string;
  phone: string;
  fax: string;
  email: string;
}

const DELEGATES = new Set(['AS', 'DC', 'GU', 'MP', 'VI']);

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '');

/**
 * The target an entry is in its last term.
 * @throws Error saying what is missing
 */
export function targetOf({ id, name, bio, terms }: Legislator): LoadedTarget {
  const bioguide = text(id?.bioguide);
  if (!bioguide) throw new Error('an entry without a bioguide id');
  const term = Array.isArray(terms) ? terms.at(-1) : undefined;
  const state = text(term?.state).toUpperCase();
  if (!term || !/^[A-Z]{2}$/.test(state)) throw new Error(`${bioguide} has no term with a state`);
  const person = {
    bioguide,
    state,
    first: text(name?.first),
    last: [text(name?.last), text(name?.suffix)].filter(Boolean).join(', '),
    gender: text(bio?.gender),
    party: text(term.party),
    phone: text(term.phone),
    fax: text(term.fax),
    email: text(term.contact_form) || text(term.url),
  };
  if (term.type === 'sen') {
    const rank = text(term.state_rank);
    return { ...person, type: 'senate', seat: rank ? `${state}_${rank}` : state, us_district: '', title: 'Sen.', long_title: 'Senator' };
  }
  if (term.type !== 'rep') throw new Error(`${bioguide} is neither a senator nor a representative`);
  const district = Number(term.district ?? 0);
  if (!Number.isInteger(district) || district < 0 || district > 99) throw new Error(`${bioguide} has no district`);
  const seat = `${state}_${String(district).padStart(2, '0')}`;
  return { ...person, type: 'house', seat, us_district: seat, ...houseTitle(state) };
}

function houseTitle(state: string): { title: string; long_title: string } {
  if (state === 'PR') return { title: 'Res. Comm.', long_title: 'Resident Commissioner' };
  if (DELEGATES.has(state)) return { title: 'Del.', long_title: 'Delegate' };
  return { title: 'Rep.', long_title: 'Representative' };
}
