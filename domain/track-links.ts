import { parse } from 'node:querystring';

// Open and click tracking is a rewriting of the templates themselves, done once when content is frozen: links become addresses of ours by number, so that the
// redirect can lead nowhere but where the mailing's author pointed.

/** Where tracked mails lead, under the base URL. */
export const TRACKING_PATH = { open: '/open/', click: '/click/' } as const;

const AKID_PLACE = /\{\{\s*(?:user\.)?akid\s*\}\}/g;
const HREF = /(<a\b[^>]*?\shref\s*=\s*)(["'])(https?:\/\/[^"'<>]*)\2/gi;
const BARE_URL = /https?:\/\/[^\s<>"'(){}]+[^\s<>"'(){}.,;:!?]/g;

export interface Tracked {
  source: string;
  /** Link number n (from 0) led here; `{{ akid }}` in it stands for the clicker's akid. */
  links: string[];
}

const decode = (url: string) => url.replaceAll('&amp;', '&').replaceAll('&#38;', '&');

/** Only a link that is the same in all mails (but for an akid) can stand behind a number. */
const sameInAll = (url: string) => !/\{[{%#]/.test(url.replace(AKID_PLACE, ''));

const numberOf = (links: string[], url: string): number => {
  const known = links.indexOf(url);
  return known >= 0 ? known : links.push(url) - 1;
};

/**
 * Puts the addresses of the redirect in the place of a template's links.
 * @param baseUrl of this service, without a trailing slash
 * @param links found so far in the mailing; new ones are added
 */
export function trackHtmlLinks(source: string, baseUrl: string, links: string[]): string {
  return source.replace(HREF, (whole, before: string, quote: string, url: string) =>
    sameInAll(url) ? `${before}${quote}${clickAddress(baseUrl, numberOf(links, decode(url)))}${quote}` : whole,
  );
}

/** The same for a text template. */
export function trackTextLinks(source: string, baseUrl: string, links: string[]): string {
  return source.replace(BARE_URL, (url) => clickAddress(baseUrl, numberOf(links, url)));
}

const clickAddress = (baseUrl: string, number: number) => `${baseUrl}${TRACKING_PATH.click}{{ akid }}/${number}`;

/** The open pixel, at the end of the body where there is one. */
export function addOpenPixel(html: string, baseUrl: string): string {
  const pixel = `<img src="${baseUrl}${TRACKING_PATH.open}{{ akid }}.gif" width="1" height="1" alt="" style="display:none">`;
  const end = html.toLowerCase().lastIndexOf('</body>');
  return end < 0 ? html + pixel : html.slice(0, end) + pixel + html.slice(end);
}

/** Where a click leads: the link with the clicker's akid in its place, which pages of our own are given also unasked. */
export function clickTarget(link: string, akid: string, baseUrl: string): string {
  const target = link.replace(AKID_PLACE, akid);
  const own = target === baseUrl || target.startsWith(`${baseUrl}/`) || target.startsWith(`${baseUrl}?`);
  if (!own || 'akid' in parse(target.split('?')[1] ?? '')) return target;
  const [page, fragment] = target.split('#', 2);
  return `${page}${page?.includes('?') ? '&' : '?'}akid=${encodeURIComponent(akid)}${fragment === undefined ? '' : `#${fragment}`}`;
}

const MACHINE_AGENTS =
  /bot\b|crawl|spider|slurp|preview|scan|barracuda|proofpoint|mimecast|curl|wget|python|go-http|okhttp|headless|monitor/i;

/** Whether a request looks like a program's: a scanner, a prefetching mail provider (which sends the bare string), or no browser at all. */
export function isMachine(method: string, userAgent: string | undefined): boolean {
  const agent = userAgent?.trim() ?? '';
  return method === 'HEAD' || agent === '' || agent === 'Mozilla/5.0' || MACHINE_AGENTS.test(agent);
}
