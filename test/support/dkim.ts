import { dkimVerify } from 'mailauth/lib/dkim/verify.js';

/** DNS records of tests: TXT values by name. */
export type Zone = ReadonlyMap<string, string>;

/** What an independent verifier says of each signature of a mail: selector and verdict, in the order of selectors. */
export async function dkimVerdicts(message: string, zone: Zone): Promise<[selector: string, verdict: string][]> {
  const resolver = async (name: string) => {
    const value = zone.get(name);
    if (!value) throw Object.assign(new Error(name), { code: 'ENOTFOUND' });
    return [value.match(/.{1,255}/g)!];
  };
  const { results } = await dkimVerify(Buffer.from(message, 'latin1'), { resolver });
  return results.map(({ selector, status }): [string, string] => [selector ?? '', status.result]).sort();
}
