import type { Env } from '../../config/env.ts';
import { addOpenPixel, Links, trackHtmlLinks, trackTextLinks } from '../../domain/track-links.ts';
import type { MailingContent } from '../../mail/contracts.ts';
import { ownPlaces } from '../../mail/own-places.ts';
import { waysToLeave } from '../../mail/ways-to-leave.ts';
import type { FrozenRun, Queryable } from './content.ts';

export type TrackingSettings = Pick<Env, 'BASE_URL' | 'TRACK_OPENS' | 'TRACK_CLICKS'>;

/** A snippet that is an address and nothing else: what includes it may go on with it. */
const IS_ADDRESS = /^https?:\/\/\S*$/i;

/**
 * A mailing's content with its links and its open pixel leading through us.
 * @returns with it where each link goes, by its number, of which the first `known` are those of what is out already
 */
export async function readTracked(
  db: Queryable,
  { content, tracking = { opens: true, clicks: true } }: FrozenRun,
  { BASE_URL, TRACK_OPENS, TRACK_CLICKS }: TrackingSettings,
): Promise<{ content: MailingContent; known: number; urls: string[] }> {
  const { mailingId, wrapper, snippets = {} } = content;
  const [opens, clicks] = [TRACK_OPENS && tracking.opens, TRACK_CLICKS && tracking.clicks];
  const { rows } = await db.query('select url from core_mailinglink where mailing_id = $1 order by number', [mailingId]);
  const links = new Links(
    rows.map((row) => row.url),
    ownPlaces(content),
  );
  const known = links.urls.length;
  const inHtml = (source: string) => (clicks ? trackHtmlLinks(source, BASE_URL, links) : source);
  const inText = (source: string) => (clicks ? trackTextLinks(source, BASE_URL, links) : source);
  const withPixel = (html: string) => (opens && html ? addOpenPixel(html, BASE_URL) : html);
  const outermost = wrapper?.template ? 'wrapper' : 'content';
  const tracked: MailingContent = {
    ...content,
    waysToLeave: waysToLeave(content),
    html: outermost === 'content' ? withPixel(inHtml(content.html)) : inHtml(content.html),
    text: inText(content.text),
    snippets: Object.fromEntries(
      Object.entries(snippets).map(([name, { html, text }]) => [
        name,
        { html: inHtml(html), text: IS_ADDRESS.test(text) ? text : inText(text) },
      ]),
    ),
    wrapper: wrapper && {
      ...wrapper,
      template: outermost === 'wrapper' ? withPixel(inHtml(wrapper.template)) : wrapper.template,
      textTemplate: inText(wrapper.textTemplate),
    },
  };
  return { content: tracked, known, urls: links.urls };
}
