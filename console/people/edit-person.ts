import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { idOf } from '../../api/resource/routes.ts';
import { Writer } from '../../api/resource/write.ts';
import { can } from '../../api/route-options.ts';
import { readChoices } from '../../core/mailings/choices.ts';
import { isErased } from '../../core/people/erased.ts';
import { type PersonPhone, phonesOf } from '../../core/people/phones.ts';
import { sqlOn } from '../../db/sql.ts';
import { ConflictError, InputError } from '../../domain/errors.ts';
import { choice, line, type Problems, type Sent, textOf, textsOf } from '../fields.ts';
import { type Html, html } from '../html.ts';
import { csrfField, formToken, sendPage } from '../layout.ts';
import { inWords } from '../plain-words.ts';
import { OvertakenError, SavedBeforeError, versionOf } from '../version.ts';
import { type PersonDocument, personHead, personShown, readPerson } from './person-document.ts';
import { type Draft, isSaved, linesOf, TEXTS, type TextName } from './person-draft.ts';
import { phoneRows, phonesPart, phonesSent, phonesWritten, phoneWords, samePhones, withoutGone } from './phones-part.ts';

const NAME: TextName[] = ['email', 'prefix', 'first_name', 'middle_name', 'last_name', 'suffix'];
const PLACE: TextName[] = ['address1', 'address2', 'zip', 'city', 'state', 'region', 'postal', 'country'];

interface Shown {
  person: PersonDocument;
  /** What is stored now, as the form would have it. */
  stored: Draft;
  draft: Draft;
  /** That of the form that was sent, where nobody looked yet whether somebody else was there. */
  version?: string;
  problems?: Problems;
  /** Somebody else has saved since the form was made. */
  overtaken?: boolean;
}

/** `/console/people/{id}/edit/`: who somebody is and where they live, their phones and custom fields. */
export function registerPersonEdit(app: FastifyInstance, context: ApiContext): void {
  const writer = new Writer(context.registry.get('user'), context);
  // Whoever may not read phones has none of them in the form, nor in its version, of which they could be guessed.
  const storedOf = async (request: FastifyRequest, person: PersonDocument): Promise<Draft> =>
    draftFrom(person, can(request, 'phone:read') ? await phonesOf(sqlOn(context.pool), person.id) : null);

  app.get('/console/people/:id/edit/', page('user:write'), async (request, reply) => {
    const person = await personShown(context, request);
    const stored = await storedOf(request, person);
    return showForm(context, request, reply, { person, stored, draft: stored });
  });

  app.post('/console/people/:id/edit/', page('user:write'), async (request, reply) => {
    const id = idOf(request);
    const sent = request.body as Sent;
    const before = await storedOf(request, await personShown(context, request));
    const draft = draftOf(sent, before);
    const again = async (status: number, more: Partial<Shown>) => {
      const person = await readPerson(context, id);
      const stored = await storedOf(request, person);
      const kept = { ...draft, phones: draft.phones && stored.phones && withoutGone(draft.phones, stored.phones) };
      return showForm(context, request, reply.code(status), { person, stored, draft: kept, ...more });
    };
    const saved = () => reply.redirect(`/console/people/${id}/?done=saved`, 303);
    const version = textOf(sent, 'version');
    const first = async () => {
      const stored = await storedOf(request, await readPerson(context, id));
      if (version === draftVersion(stored)) return;
      throw isSaved(stored, draft) ? new SavedBeforeError() : new OvertakenError();
    };
    try {
      await writer.update(id, request, { body: changesOf(before, draft), first });
    } catch (error) {
      // Sent a second time, or by two presses.
      if (error instanceof SavedBeforeError) return saved();
      // Two people at it: nothing of either is lost, and whoever saves second is told.
      if (error instanceof OvertakenError) return again(409, { overtaken: true });
      if (error instanceof InputError) return again(400, { problems: error.fields, version });
      if (error instanceof ConflictError) return again(409, { problems: { email: [takenBy(error)] }, version });
      throw error;
    }
    return saved();
  });
}

const takenBy = ({ holder }: ConflictError): string =>
  `Person ${holder?.split('/').at(-2) ?? 'somebody else'} has this address. If they are one and the same, merge them.`;

const asLines = (value: string | string[]): string => [value].flat().join('\n');

function draftFrom(person: PersonDocument, phones: readonly PersonPhone[] | null): Draft {
  return {
    texts: Object.fromEntries(Object.keys(TEXTS).map((name) => [name, person[name as TextName]])) as Draft['texts'],
    lang: /\/(\d+)\/$/.exec(person.lang ?? '')?.[1] ?? '',
    fields: Object.fromEntries(Object.entries(person.fields).map(([name, value]) => [name, asLines(value)])),
    phones: phones && phoneRows(phones),
  };
}

const draftVersion = ({ texts, lang, fields, phones }: Draft): string => versionOf([texts, lang, Object.entries(fields).sort(), phones]);

function draftOf(sent: Sent, before: Draft): Draft {
  const values = textsOf(sent, 'field_value').map((value) => value.replaceAll('\r\n', '\n'));
  const fields = textsOf(sent, 'field_name').map((name, n): [string, string] => [name.trim(), values[n] ?? '']);
  return {
    texts: Object.fromEntries(Object.keys(TEXTS).map((name) => [name, textOf(sent, name).trim()])) as Draft['texts'],
    lang: textOf(sent, 'lang'),
    fields: Object.fromEntries(fields.filter(([name]) => name)),
    phones: before.phones && (phonesSent(sent) ?? before.phones),
  };
}

/** What differs, as the API takes it: what is left alone is not written, and an address is not corrected anew. */
function changesOf(before: Draft, { texts, lang, fields, phones }: Draft): Record<string, unknown> {
  const changed = Object.entries(texts).filter(([name, value]) => value !== before.texts[name as TextName]);
  const written = Object.entries(fields)
    .filter(([name, value]) => value !== (before.fields[name] ?? ''))
    .map(([name, value]) => [name, linesOf(value)]);
  return {
    ...Object.fromEntries(changed),
    ...(lang !== before.lang && { lang: /^\d{1,9}$/.test(lang) ? Number(lang) : null }),
    ...(written.length && {
      fields: Object.fromEntries(written.map(([name, values]) => [name, values!.length === 1 ? values![0] : values])),
    }),
    ...(phones && before.phones && !samePhones(phones, before.phones) && { phones: phonesWritten(phones) }),
  };
}

async function showForm(context: ApiContext, request: FastifyRequest, reply: FastifyReply, shown: Shown): Promise<FastifyReply> {
  const { person, stored, draft, version = draftVersion(stored), problems = {}, overtaken } = shown;
  const { id } = person;
  const title = `Edit – person ${id}`;
  // Whoever opened the form before is not offered to put what is erased back in its place: it would be refused.
  if (await isErased(sqlOn(context.pool), id)) {
    const content = html`${personHead(request, person, 'edit/')}<p class="note warn" role="alert">This person was erased: nothing about them can be changed any more.</p>`;
    return sendPage(request, reply, context.env, { title, content });
  }
  const languages = await readChoices(sqlOn(context.pool), 'languages', /^\d{1,9}$/.test(draft.lang) ? [Number(draft.lang)] : []);
  const text = (name: TextName) =>
    line({ name, label: TEXTS[name], value: draft.texts[name], type: name === 'email' ? 'email' : 'text' }, problems);
  const messages = Object.keys(problems).length
    ? html`<div class="note bad" role="alert"><p>It was not saved.</p>${Object.entries(problems).flatMap(([name, all]) => (name in TEXTS || name === 'phones' || name === 'lang' ? [] : all.map((each) => html`<p>${inWords(name, each)}</p>`)))}</div>`
    : overtaken
      ? overtakenPart(person.id, stored, draft)
      : '';
  const content = html`${personHead(request, person, 'edit/')}${messages}
<form method="post" action="/console/people/${id}/edit/" class="write" novalidate>${csrfField(formToken(request, reply))}<input type="hidden" name="version" value="${version}">
<div class="columns"><div><section class="card" aria-labelledby="who"><h2 id="who">Who it is</h2>${NAME.map(text)}
${choice({ name: 'lang', label: 'Language', value: draft.lang, none: 'none', choices: languages }, problems)}</section>
${draft.phones ? phonesPart(draft.phones, problems) : ''}
<section class="card" aria-labelledby="where"><h2 id="where">Where they live</h2><p class="small">City and state follow from a new zip in the United States; the place is estimated anew.</p>${PLACE.map(text)}</section></div>
<aside aria-label="Save and more"><div class="card actions"><button class="main">Save</button><a class="button plain" href="/console/people/${id}/">Cancel</a></div>
<div class="card">${text('source')}</div>
<div class="card"><h2>Custom fields</h2><p class="small">Several values: one a line. Empty: it is taken away.</p>${Object.entries(draft.fields).map(fieldPart)}
<div class="field"><label for="new-name">Another one: its name</label><input id="new-name" name="field_name" value=""></div><div class="field"><label for="new-value">Its value</label><textarea id="new-value" name="field_value" rows="1"></textarea></div></div></aside></div></form>`;
  return sendPage(request, reply, context.env, { title, content });
}

/** What is stored by now where it is not what the form says. */
function overtakenPart(id: number, theirs: Draft, { texts, fields, phones }: Draft): Html {
  const rows = [
    ...Object.entries(TEXTS).map(([name, word]): [string, string, string] => [
      word,
      theirs.texts[name as TextName],
      texts[name as TextName],
    ]),
    ...Object.keys({ ...theirs.fields, ...fields }).map((name): [string, string, string] => [
      name,
      theirs.fields[name] ?? '',
      fields[name] ?? '',
    ]),
    ['Phones', phoneWords(theirs.phones ?? []), phoneWords(phones ?? [])] satisfies [string, string, string],
  ].filter(([, stored, yours]) => stored !== yours);
  return html`<div class="note warn" role="alert"><p>This person was changed since you opened the form. What you see below is yours: save once more to put it in the place of what is stored now, or <a href="/console/people/${id}/edit/">begin anew from that</a>.</p>
<table><thead><tr><th scope="col">What</th><th scope="col">Stored now</th><th scope="col">Yours</th></tr></thead><tbody>${rows.map(([word, stored, yours]) => html`<tr><th scope="row">${word}</th><td>${stored || '–'}</td><td>${yours || '–'}</td></tr>`)}</tbody></table></div>`;
}

const fieldPart = ([name, value]: [string, string], n: number): Html =>
  // A browser takes away the first line end of a textarea.
  html`<input type="hidden" name="field_name" value="${name}"><div class="field"><label for="field-${n}">${name}</label><textarea id="field-${n}" name="field_value" rows="${Math.min(4, value.split('\n').length)}">
${value}</textarea></div>`;
