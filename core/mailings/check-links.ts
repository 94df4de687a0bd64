import { addressInHtml } from '../../domain/html-address.ts';
import { ask } from '../webhooks/post.ts';

/** A link, and why it leads nowhere; null where it is answered. */
export interface CheckedLink {
  url: string;
  problem: string | null;
}

/** So many are asked, so many at a time, each for so long: four seconds for them all when nobody answers would be too few, a minute too many. */
const MOST = 40;
const AT_A_TIME = 8;
const PATIENCE_MS = 3_000;

const LINK = /\bhref\s*=\s*(?:"\s*(https?:[^"]*)|'\s*(https?:[^']*)|(https?:[^\s"'>]+))/gi;

/** The links of a mail's HTML, each once; those in which something differs from person to person left out. */
export function linksIn(html: string): string[] {
  const found = [...html.matchAll(LINK)].map((match) => (match[1] ?? match[2] ?? match[3] ?? '').trim());
  const addresses = found.filter((url) => !/\{[{%]/.test(url)).map((url) => addressInHtml(url) ?? '');
  return [...new Set(addresses)].filter((url) => URL.canParse(url));
}

/**
 * Asks each link whether it is answered.
 * @param anywhere addresses of this network, too (WEBHOOKS_INSIDE)
 * @returns those that were asked, in their order, and how many were not
 */
export async function checkLinks(
  urls: string[],
  how: { anywhere: boolean; signal?: AbortSignal },
): Promise<{ checked: CheckedLink[]; left: number }> {
  const asked = urls.slice(0, MOST);
  const checked = asked.map((url): CheckedLink => ({ url, problem: null }));
  let next = 0;
  const lane = async () => {
    for (let at = next++; at < checked.length; at = next++) {
      const url = new URL(asked[at]!);
      // A user name and password in a link are not ours to send, and may be none that can be.
      url.username = url.password = '';
      const { error } = await ask(url, { method: 'GET', headers: { accept: '*/*' }, refusedFrom: 400, patienceMs: PATIENCE_MS }, how);
      checked[at]!.problem = error || null;
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, lane));
  return { checked, left: urls.length - asked.length };
}
