import type { ApiContext } from '../../api/deps.ts';
import { readContent } from '../../core/sending/content.ts';
import { type Html, html } from '../html.ts';

/** Some mail programs cut what is longer, in bytes. */
const CLIPPED_AT = 102_000;

/** What whoever wrote a mail may have overlooked, a sentence each; nothing is refused for it. @param wrapper what stands around it */
export function adviceOn(body: string, wrapper = ''): string[] {
  if (!body.trim()) return ['There is no HTML: people see the text version alone.'];
  const advice: string[] = [];
  const whole = wrapper + body;
  const pictures = picturesIn(whole);
  const silent = pictures.filter((each) => !/\balt\s*=/i.test(each)).length;
  if (silent)
    advice.push(`${silent === 1 ? 'One picture has' : `${silent} pictures have`} no alt text: whoever does not see it is told nothing.`);
  if (pictures.some((each) => /\bsrc ?= ?["']?http:/i.test(each)))
    advice.push('A picture is fetched without TLS (http:): many programs do not show it.');
  const bytes = Buffer.byteLength(whole);
  if (bytes > CLIPPED_AT) advice.push(`It has ${Math.round(bytes / 1000)} KB: some programs cut mails of more than 102.`);
  if (/<(script|form|iframe|object|embed)\b/i.test(whole)) advice.push('Scripts, forms and frames do not work in mails.');
  if (/href ?= ?(?:["'] ?["'#]|#)/i.test(whole)) advice.push('A link leads nowhere.');
  if (!/unsubscribe/i.test(whole)) advice.push('It has no link to unsubscribe of its own: a plain one is put at its end.');
  return advice;
}

/** The same of a mailing as it is stored. */
export async function adviceOnStored({ pool }: ApiContext, id: number): Promise<string[]> {
  const { content } = await readContent(pool, id, '');
  return adviceOn(content.html, content.wrapper?.template);
}

export const adviceList = (advice: readonly string[]): Html =>
  advice.length
    ? html`<ul class="plain">${advice.map((each) => html`<li>${each}</li>`)}</ul>`
    : html`<p class="small">Nothing stands out.</p>`;

/** The tags of pictures; each character is looked at once, whatever is never closed. */
function picturesIn(html: string): string[] {
  const tags: string[] = [];
  const lower = html.toLowerCase();
  for (let at = lower.indexOf('<img'); at >= 0; ) {
    const end = lower.indexOf('>', at);
    if (end < 0) break;
    tags.push(html.slice(at, end));
    at = lower.indexOf('<img', end);
  }
  return tags;
}
