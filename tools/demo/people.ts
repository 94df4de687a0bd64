import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** Somebody as a signup form sends them in. */
export interface Signup {
  email: string;
  first_name: string;
  last_name: string;
  state: string;
  city?: string;
  zip?: string;
  country?: string;
}

interface Legislator {
  id: { bioguide: string };
  name: { first: string; last: string };
  terms: { state: string }[];
}

/**
 * The people of a YAML file: a list of signups, or of members of Congress as the congress-legislators project writes them (they get made-up
 * addresses under a domain nobody can have).
 * @throws Error when the file is something else
 */
export function readPeople(file: string): Signup[] {
  const list: unknown = parse(readFileSync(file, 'utf8'));
  if (!Array.isArray(list) || !list.length) throw new Error(`${file} holds no list of people`);
  return list.map((entry, n) => {
    if (entry?.email) return entry as Signup;
    if (entry?.name && entry.terms?.length) return signupOf(entry as Legislator);
    throw new Error(`${file}: entry ${n + 1} has neither an email nor a name with terms`);
  });
}

const signupOf = ({ id, name, terms }: Legislator): Signup => ({
  email: `${id.bioguide.toLowerCase()}@legislators.example`,
  first_name: name.first,
  last_name: name.last,
  state: terms.at(-1)!.state,
  country: 'United States',
});
