import { parse } from 'node:querystring';
import { bodiesOf, putIn } from './body-tags.ts';
import { addressInHtml } from './html-address.ts';
import { tagReader } from './html-tag.ts';
import { replaceAddresses } from './text-links.ts';

// Open and click tracking is a rewriting of the templates themselves, done once when content is frozen: links become addresses of ours by number, so that the
// redirect can lead nowhere but where the mailing's author pointed.

/** Where tracked mails lead, under the base URL. */
export const TRACKING_PATH = { open: '/open/', click: '/click/' } as const;

const AKID_PLACE = /\{\{\s*(?:user\.)?akid\s*\}\}/g;
const ANCHOR = /<a\b/gi;
/** Blanks before an address are no part of it. */
const ADDRESS = /^[\t\n\f\r ]*(https?:\/\/.*)$/is;

/** Only a link that is the same in all mails (but for an akid) can stand behind a number. */
const sameInAll = (url: string) => !/\{[{%#]/.test(url.replace(AKID_PLACE, ''));

/** The links of a mailing, each once: number n (from 0) leads to `urls[n]`; `{{ akid }}` in it stands for the clicker's akid. */
export class Links {
  readonly urls: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** Puts into a link what is the mailing's own, and so the same in all its mails. */
  readonly own: (url: string) => string;

  constructor(known: readonly string[] = [], own = (url: string) => url) {
    this.own = own;
    for (const url of known) this.#numbers.set(url, this.urls.push(url) - 1);
  }

  numberOf(url: string): number {
    const known = this.#numbers.get(url) ?? this.urls.length;
    if (known === this.urls.length) this.#numbers.set(url, this.urls.push(url) - 1);
    return known;
  }
}

/**
 * Puts the addresses of the redirect in the place of a template's links.
 * @param baseUrl of this service, without a trailing slash
 * @param links found so far in the mailing; new ones are added
 */
export function trackHtmlLinks(source: string, baseUrl: string, links: Links): string {
  let [tracked, done] = ['', 0];
  const tagAt = tagReader(source);
  ANCHOR.lastIndex = 0;
  for (let anchor = ANCHOR.exec(source); anchor; anchor = ANCHOR.exec(source)) {
    const tag = tagAt(anchor.index);
    ANCHOR.lastIndex = tag.end;
    for (const [begin, end] of tag.hrefs) {
      const url = ADDRESS.exec(source.slice(begin, end))?.[1];
      const own = url && links.own(url);
      const address = own && sameInAll(own) ? addressInHtml(own) : undefined;
      if (address === undefined) continue;
      tracked += `${source.slice(done, end - url!.length)}${clickAddress(baseUrl, links.numberOf(address))}`;
      done = end;
    }
  }
  return tracked + source.slice(done);
}

/** The same for a text template. */
export function trackTextLinks(source: string, baseUrl: string, links: Links): string {
  return replaceAddresses(source, (url) => {
    const own = links.own(url);
    return sameInAll(own) ? clickAddress(baseUrl, links.numberOf(own)) : url;
  });
}

const clickAddress = (baseUrl: string, number: number) => `${baseUrl}${TRACKING_PATH.click}{{ akid }}/${number}`;

/** The open pixel, at the end of the body where there is one. */
export function addOpenPixel(html: string, baseUrl: string): string {
  const pixel = `<img src="${baseUrl}${TRACKING_PATH.open}{{ akid }}.gif" width="1" height="1" alt="" style="display:none">`;
  return putIn(html, bodiesOf(html).ends, pixel);
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
