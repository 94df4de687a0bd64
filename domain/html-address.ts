// Addresses as they stand in an attribute of HTML, where signs may be written by name or number: `&amp;`, `&#038;` (as WordPress does), `&#x26;`.

const NAMED: Record<string, string> = { amp: '&', AMP: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const REFERENCE = /&(?:#(\d{1,7});?|#x([\da-f]{1,6});?|(\w+);)/gi;

/** @returns undefined where it has a sign that cannot be told: there are two thousand names, and numbers that do not mean what they say */
export function addressInHtml(attribute: string): string | undefined {
  let isTold = true;
  const address = attribute.replace(REFERENCE, (_whole, decimal?: string, hex?: string, name = '') => {
    const sign = name ? NAMED[name] : signOf(decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal));
    isTold &&= sign !== undefined;
    return sign ?? '';
  });
  return isTold ? address : undefined;
}

const signOf = (code: number): string | undefined =>
  code < 32 || (code > 126 && code < 160) || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff ? undefined : String.fromCodePoint(code);
