import type { CallerTarget } from '../../core/whipcounts/caller-targets.ts';
import type { PublicWhipcount } from '../../core/whipcounts/public-page.ts';
import type { STANCES } from '../../domain/words.ts';

const LABELS: Record<(typeof STANCES)[number], string> = {
  supportive: 'Supports it',
  opposed: 'Opposes it',
  uncommitted: 'Has not decided',
  message: 'I left a message',
};
const ORDER = ['supportive', 'opposed', 'uncommitted', 'message'] as const;

const STYLE = `:root { color-scheme: light dark }
body { font: 1.05rem/1.55 system-ui, sans-serif; max-width: 40rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; overflow-wrap: anywhere }
h1 { line-height: 1.2 } h2 { font-size: 1.15rem; margin: 0 }
.script { border-left: .3rem solid #1a56db; padding: .2rem 1rem; margin: 1.5rem 0 }
fieldset { border: 1px solid #8888; border-radius: .6rem; margin: 1rem 0; padding: .6rem 1rem 1rem } legend { padding: 0 .4rem; font-weight: 600 }
.phone { font-size: 1.35rem; display: inline-block; margin: .3rem 0 .6rem }
label { display: block; padding: .25rem 0 } input[type=text], input[type=email] { font: inherit; padding: .5rem; width: 100%; max-width: 20rem; box-sizing: border-box; display: block }
button { font: inherit; padding: .7rem 1.6rem; border: 0; border-radius: .4rem; background: #1a56db; color: #fff; cursor: pointer; margin-top: 1rem }
:focus-visible { outline: 3px solid #f59e0b; outline-offset: 2px }
[role=alert] { border: 2px solid #c81e1e; border-radius: .4rem; padding: .5rem 1rem; margin: 1rem 0 }`;

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);

function document(page: PublicWhipcount, body: string, errors: string[]): string {
  const title = escaped(page.title || page.name);
  const alert = errors.length > 0 ? `<div role="alert">${errors.map((error) => `<p>${escaped(error)}</p>`).join('')}</div>` : '';
  return `<!doctype html>
<html lang="${escaped(page.language)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1>${alert}${body}</main></body>
</html>
`;
}

/** First step: where do you live? */
export function renderZip(page: PublicWhipcount, errors: string[]): string {
  const form = `<form method="get"><label for="zip">Your zip code</label>
<input id="zip" name="zip" type="text" inputmode="numeric" autocomplete="postal-code" required maxlength="10">
<button type="submit">Find whom to call</button></form>`;
  return document(page, `<div>${page.introduction_text}</div>${form}`, errors);
}

/** Second step: whom to call, what to say, what they said. */
export function renderCalls(
  page: PublicWhipcount,
  targets: CallerTarget[],
  caller: { zip: string; akid: string; i: string; given: (name: string) => string },
  errors: string[],
): string {
  const known = caller.akid !== '' || caller.i !== '';
  const hidden = (name: string, value: string) => (value ? `<input type="hidden" name="${name}" value="${escaped(value)}">` : '');
  const text = (name: string, label: string, type: string, autocomplete: string, required = false) =>
    `<label for="${escaped(name)}">${escaped(label)}</label><input id="${escaped(name)}" name="${escaped(name)}" type="${type}" autocomplete="${autocomplete}" maxlength="255" value="${escaped(caller.given(name))}"${required ? ' required' : ''}>`;
  const required = new Set(page.required_fields);
  const named = NAMES.some((name) => required.has(name));
  const asked = known ? '' : text('name', 'Your name', 'text', 'name', named) + text('email', 'Your email address', 'email', 'email', true);
  const there = ['email', 'akid', ...(known ? [] : NAMES), ...(caller.zip ? ['zip'] : [])];
  const more = [...required].filter((name) => !there.includes(name) && !name.startsWith('response-'));
  const fields = asked + more.map((name) => text(name, labelOf(name), 'text', 'on', true)).join('');
  const about = fields && `<fieldset><legend>About you</legend>${fields}</fieldset>`;
  // With one target the form itself says that its answer is needed; of several, one answer is enough.
  const needed = targets.length === 1 && targets[0] ? requiredFields(targets[0].id) : '';
  return document(
    page,
    `<div>${page.introduction_text}</div>
${page.script_text ? `<section class="script" aria-labelledby="script"><h2 id="script">What to say</h2>${page.script_text}</section>` : ''}
<form method="post" action="?">${hidden('zip', caller.zip)}${hidden('akid', caller.akid)}${hidden('i', caller.i)}${needed}
${page.survey_question_text ? `<div>${page.survey_question_text}</div>` : ''}
${targets.map((target) => renderTarget(target, caller.given(`response-${target.id}`))).join('\n')}
${about}<button type="submit">Report my calls</button></form>`,
    errors,
  );
}

/** What the form asks of those it does not know as one name. */
const NAMES = ['name', 'first_name', 'last_name'];

/** `user_favorite_team` → Favorite team. */
function labelOf(field: string): string {
  const words = field.replace(/^(user|action)_/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const requiredFields = (id: number): string =>
  `<input type="hidden" name="required" value="response-${id}"><input type="hidden" name="error_response-${id}:missing" value="Please tell us what they said.">`;

function renderTarget({ id, name, party, seat, phone }: CallerTarget, chosen: string): string {
  const dial = phone.replace(/[^\d+]/g, '');
  const choices = ORDER.map(
    (stance) =>
      `<label><input type="radio" name="response-${id}" value="${stance}"${chosen === stance ? ' checked' : ''}> ${LABELS[stance]}</label>`,
  );
  const details = [party, seat.replace('_', ' ')].filter(Boolean).join(', ');
  return `<fieldset data-target="${id}"><legend>${escaped(name)}${details ? ` (${escaped(details)})` : ''}</legend>
${dial ? `<a class="phone" href="tel:${dial}">${escaped(phone)}</a>` : '<p>No phone number is known.</p>'}
${choices.join('\n')}</fieldset>`;
}

/** The end. */
export const renderThanks = (page: PublicWhipcount): string =>
  document(page, `<div role="status">${page.thank_you_text || '<p>Thank you. Your calls have been counted.</p>'}</div>`, []);
