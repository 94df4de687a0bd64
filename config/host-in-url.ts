/** A host as it stands in an address: IPv6 in brackets, or its colons would begin a port. */
export const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);
