import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiContext } from '../../api/deps.ts';
import { can } from '../../api/route-options.ts';
import { type Choice, type ChoiceKind, readChoices } from '../../core/mailings/choices.ts';
import { declaredFields } from '../../core/people/single-fields.ts';
import { readContent } from '../../core/sending/content.ts';
import { sqlOn } from '../../db/sql.ts';
import { mayChange } from '../../domain/mailing-status.ts';
import { assetPath } from '../assets.ts';
import { area, choice, line, mostOffered, type Problems } from '../fields.ts';
import { type Html, html } from '../html.ts';
import { csrfField, formToken, sendPage } from '../layout.ts';
import { adviceList, adviceOn } from '../mailings/advice.ts';
import { mailingHead } from '../mailings/mailing-document.ts';
import { statusWord } from '../mailings/status-words.ts';
import { inWords } from '../plain-words.ts';
import { onceField } from '../pressed-once.ts';
import { type Content, type Draft, loneIn } from './draft.ts';
import { MOST_FIELDS, mergeFields } from './merge-fields.ts';
import { previewPart } from './preview-part.ts';
import { placeOf } from './problem-place.ts';
import { subjectRow } from './subject-row.ts';

/** Subjects there is room for at least; one more than there are. */
const ROOM = 2;

/** What is shown in it. */
export interface Shown {
  mailing?: Content;
  draft: Draft;
  version?: string;
  /** Of a new mailing: the number its draft gets, as its page has it. */
  reserved?: string;
  problems?: Problems;
  /** What was done a moment ago. */
  done?: keyof typeof DONE;
  overtaken?: boolean;
}

const DONE = { saved: 'Saved.', tested: 'Saved. A test mail to the address of your account is on its way.' };

/** Sends the form. */
export async function showForm(context: ApiContext, request: FastifyRequest, reply: FastifyReply, shown: Shown): Promise<FastifyReply> {
  const { mailing, draft, version = '', reserved = '', problems = {}, done, overtaken } = shown;
  const sql = sqlOn(context.pool);
  const all = (kind: ChoiceKind, id = '') => readChoices(sql, kind, id ? [Number(id)] : []);
  const [wrappers, languages, pages, fromlines, snippets, fields] = await Promise.all([
    all('wrappers', draft.wrapper),
    all('languages', draft.language),
    all('actions', draft.landingPage),
    all('fromlines'),
    all('snippets'),
    declaredFields(sql, MOST_FIELDS + 1),
  ]);
  const mayWrite = can(request, 'mailer:write') && (!mailing || mayChange(mailing.status, 'content'));
  const wrapper = mailing ? ((await readContent(context.pool, mailing.id, '')).content.wrapper?.template ?? '') : '';
  const action = mailing ? `/console/mailings/${mailing.id}/edit/` : '/console/mailings/new';
  /** What the script asks stands below this. */
  const beside = mailing ? action : '/console/mailings/new/';
  const nonce = randomBytes(16).toString('base64');
  const messages = Object.keys(problems).length
    ? html`<div class="note bad" role="alert"><p>It was not saved. What is wrong stands below, at its place.</p>${others(problems)}</div>`
    : overtaken
      ? html`<div class="note warn" role="alert"><p>Somebody else has changed this mailing since you opened it. What you see is yours: save once more to put it in the place of theirs, or <a href="${action}">see theirs</a>.</p></div>`
      : done
        ? html`<p class="note good" role="status">${DONE[done]}</p>`
        : '';
  const rows = [...draft.subjects, ...Array.from({ length: Math.max(1, ROOM - draft.subjects.length) }, () => ({ text: '', preview: '' }))];
  const lone = Math.max(0, loneIn(draft));
  /** A new one begins to be saved with the first that is worth it; one that somebody else has changed waits for the button. */
  const saves = overtaken ? 'waits' : mailing ? 'saves' : 'begins';
  const content = html`<div data-head>${mailing ? mailingHead(mailing, 'edit/') : NEW_HEAD}</div>
${messages}
<form method="post" action="${action}" class="write"${mayWrite ? html` data-write="${saves}" data-problems="${beside}problems"` : ''}>
${csrfField(formToken(request, reply))}<input type="hidden" name="version" value="${version}">${onceField()}
${mailing ? '' : html`<input type="hidden" name="reserved" value="${reserved}">`}${mayWrite ? html`<button class="unseen" tabindex="-1" aria-hidden="true">Save</button>` : ''}
<div class="columns"><div>
<section class="card" aria-labelledby="subjects-title"><h2 id="subjects-title">Subjects</h2><p class="small">With several, each goes to an equal part of the audience, and the results tell which did best.</p>
${rows.map((row, n) => subjectRow(row, n, { subjects: n === 0 ? problems['subjects'] : [], preview_text: n === lone ? problems['preview_text'] : [] }))}</section>
<section class="card" aria-labelledby="body-title"><h2 id="body-title">Content</h2>
<div class="beside"><div>${area({ name: 'html', label: 'HTML', value: draft.html, rows: 24, code: true, editor: 'html' }, problems)}${places(problems['html'], draft.html)}
${area({ name: 'text', label: 'Text version', value: draft.text, rows: 8, code: true, editor: 'text', hint: 'Empty: it is made from the HTML.' }, problems)}${places(problems['text'], draft.text)}
${mergeFields(snippets, fields)}</div>${mayWrite ? previewPart(`${beside}preview`, rows.length) : ''}</div></section>
</div><aside aria-label="Sender and more">
<div class="card actions">${savePart(request, mailing)}</div>
<div class="card"><h2>Sender</h2>
${line({ name: 'from', field: 'custom_fromline', label: 'From', value: draft.from, hint: fromHint(fromlines) }, problems)}
${line({ name: 'reply_to', label: 'Replies go to', value: draft.replyTo, hint: 'Empty: to the sender.' }, problems)}
${choice({ name: 'emailwrapper', label: 'Wrapper', value: draft.wrapper, none: 'the default one', hint: wrapperHint(wrappers), choices: wrappers }, problems)}
${choice({ name: 'lang', label: 'Language', value: draft.language, none: 'none', choices: languages }, problems)}
${choice({ name: 'landing_page', label: 'Landing page', value: draft.landingPage, none: 'none', choices: pages }, problems)}</div>
<div class="card"><h2>For yourselves</h2>
${line({ name: 'tags', label: 'Tags', value: draft.tags, hint: 'Parted by commas; a new one is made.' }, problems)}
${area({ name: 'notes', label: 'Notes', value: draft.notes, rows: 3 }, problems)}
<label><input type="checkbox" name="web_viewable" value="1"${draft.webViewable ? html` checked` : ''}> May be read on the web by whoever has the link</label></div>
${advicePart(draft, wrapper, mailing?.id ?? null, mayWrite)}</aside></div></form>${mayWrite ? scripts(nonce) : ''}`;
  const title = mailing ? `Edit – mailing ${mailing.id}` : 'A new mailing';
  return sendPage(request, reply, context.env, { title, content, nonce });
}

const scripts = (nonce: string): Html =>
  html`<script type="module" src="${assetPath('write.js')}"></script><script type="module" nonce="${nonce}" src="${assetPath('editor.js')}"></script>`;

const NEW_HEAD = html`<p class="crumb"><a href="/console/mailings/">Mailings</a></p><div class="title"><h1>A new mailing</h1></div>`;

/** The buttons, or why there are none. Those of a new mailing go on to be those of its draft. */
function savePart(request: FastifyRequest, mailing: Content | undefined): Html {
  if (!can(request, 'mailer:write')) return html`<p class="small">Your account reads only.</p>`;
  if (mailing && !mayChange(mailing.status, 'content'))
    return html`<p class="small">What it says cannot be changed while it is ${statusWord(mailing.status).toLowerCase()}. Make a copy to go on from it.</p>`;
  const go = (where: string, words: string, kind: string) => html`<button class="${kind}" name="go" value="${where}">${words}</button>`;
  const audience = (kind: string) => go('audience', 'Save and choose the audience', kind);
  const preview = go('preview', 'Save and preview', 'plain');
  const buttons = mailing
    ? html`<button class="main">Save</button>${preview}${audience('plain')}`
    : html`${audience('main')}${preview}${go('edit', 'Save', 'plain')}`;
  const asked = mailing ? html` formaction="/console/mailings/${mailing.id}/edit/test"` : html` hidden`;
  const test = can(request, 'mailer:send') ? html`<button class="plain" data-test${asked}>Save and send me a test mail</button>` : '';
  return html`${buttons}${test}<p class="small" id="autosaved" role="status"></p>`;
}

const AT_PLACE = new Set([
  'subjects',
  'preview_text',
  'html',
  'text',
  'custom_fromline',
  'reply_to',
  'emailwrapper',
  'lang',
  'landing_page',
  'tags',
  'notes',
]);

/** What is wrong with something that has no place in the form. */
const others = (problems: Problems): Html[] =>
  Object.entries(problems)
    .filter(([field]) => !AT_PLACE.has(field))
    .flatMap(([field, messages]) => messages.map((each) => html`<p>${inWords(field, each)}</p>`));

const fromHint = (lines: Choice[]): Html =>
  html`${'"Name" <name@your.domain>'}${lines.length ? html`. Used before: ${lines.slice(0, 3).map(({ name }) => html`<code>${name}</code> `)}` : ''}`;

/** Another may have become the default one by then. */
const wrapperHint = (wrappers: Choice[]): string => `The default one is that of the moment it goes out. ${mostOffered(wrappers)}`.trim();

/** The lines each message is about. */
const places = (messages: readonly string[] | undefined, source: string): (Html | '')[] =>
  (messages ?? []).map((each) => placeOf(each, source));

/** @param id null of a new mailing: the script shows it once there is a draft */
function advicePart(draft: Draft, wrapper: string, id: number | null, mayWrite: boolean): Html {
  const asked = id === null ? '' : html` formaction="/console/mailings/${id}/check-links"`;
  const links = mayWrite ? html`<p><button class="quiet" data-links${asked}>Save and ask its links</button></p>` : '';
  return html`<div class="card"${id === null ? html` hidden` : ''}><h2>Before it is sent</h2>
<div data-advice>${adviceList(adviceOn(draft.html, wrapper))}</div>${links}</div>`;
}
