/** What Node and OpenSSL call a certificate that is not believed, in our words. */
const OF_CERTIFICATES: readonly (readonly [RegExp, string])[] = [
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired'],
  [/^CERT_NOT_YET_VALID$/, 'its certificate is not valid yet'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is that of another host'],
  [/^(DEPTH_ZERO_)?SELF_SIGNED_CERT|^UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)/, 'its certificate is signed by nobody who is believed here'],
];

/** Why there was no connection to somebody else's server, by the code of the error alone: its message may repeat what the other side says. */
export function whyNotConnected({ code }: { code?: string }): string {
  const [, why] = OF_CERTIFICATES.find(([word]) => word.test(code ?? '')) ?? [];
  return `the connection failed${why ? `: ${why}` : ''}${code ? ` (${code})` : ''}`;
}
