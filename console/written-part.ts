import type { FastifyRequest } from 'fastify';
import { area, type Sent, textsOf } from './fields.ts';
import { type Html, html } from './html.ts';
import { labelOf } from './plain-words.ts';

/** What forms have in them that nobody has written, and what is not to be shown. */
const UNWRITTEN = new Set(
  `_csrf once version reserved set targeting_version saved_count waiting begins content many queued_at archived delivery status before list phone_id field_name
   address other next password`.split(/\s+/),
);
/** Of more nobody has written each. */
const MOST_FIELDS = 100;
const MOST_ROWS = 20;

/**
 * What somebody wrote into a form whose answer is an error, to be copied: what it was about was deleted meanwhile, say. A browser that goes back to the form asks for
 * it anew, and it is gone.
 */
export function writtenPart({ account, body }: FastifyRequest): Html | '' {
  if (!account || typeof body !== 'object' || body === null) return '';
  const written = Object.keys(body)
    .filter((name) => !UNWRITTEN.has(name))
    .map((name) => ({
      name,
      value: textsOf(body as Sent, name)
        .filter(isWritten)
        .join('\n')
        .replaceAll('\r\n', '\n'),
    }))
    .filter(({ value }) => value)
    .slice(0, MOST_FIELDS);
  if (written.length === 0) return '';
  const rows = (value: string) => Math.min(MOST_ROWS, value.split('\n').length + 1);
  return html`<section class="card" aria-labelledby="written"><h2 id="written">What you sent</h2><p class="small">It stands here to be copied, and nowhere else.</p>
<div class="write">${written.map(({ name, value }) => area({ name, label: labelOf(name), value, rows: rows(value) }, {}))}</div></section>`;
}

/** Rather than ticked or chosen. */
const isWritten = (value: string): boolean => value !== '' && value !== '1' && value !== 'yes' && value !== 'no';
