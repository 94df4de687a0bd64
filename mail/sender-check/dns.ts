import { Resolver } from 'node:dns/promises';

/** Questions to the DNS. An answer that there is nothing is an empty list; no answer is an error. */
export interface Dns {
  txt(name: string): Promise<string[]>;
  mx(name: string): Promise<string[]>;
  addresses(name: string): Promise<string[]>;
  /** Names of an address. */
  names(address: string): Promise<string[]>;
  /** As `node:dns` answers, for a library that asks by itself. */
  resolve(name: string, type: string): Promise<string[]>;
}

/** @param servers addresses of name servers, with commas between; absent are those of the machine */
export function openDns(servers?: string): Dns {
  const resolver = new Resolver({ timeout: 3000, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers.split(',').map((server) => server.trim()));
  return {
    txt: async (name) => (await found(resolver.resolveTxt(name))).map((pieces) => pieces.join('')),
    mx: async (name) => (await found(resolver.resolveMx(name))).map(({ exchange }) => exchange).filter((exchange) => exchange !== ''),
    addresses: async (name) => (await Promise.all([found(resolver.resolve4(name)), found(resolver.resolve6(name))])).flat(),
    names: (address) => found(resolver.reverse(address)),
    resolve: (name, type) => resolver.resolve(name, type as 'A'),
  };
}

async function found<Record>(answer: Promise<Record[]>): Promise<Record[]> {
  try {
    return await answer;
  } catch (error) {
    if (['ENOTFOUND', 'ENODATA'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}
