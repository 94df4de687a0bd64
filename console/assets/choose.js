// Helps whoever chooses an audience: how many that would be, for each field and for all of it, whom that means in words, and a search in
// what there is. The form does without.

const form = document.querySelector('form[data-counts]');

/** Does `work` once nothing has happened for so long; what it was still doing is given up. */
function after(ms, work) {
  let timer;
  let doing = new AbortController();
  return (...given) => {
    clearTimeout(timer);
    doing.abort();
    doing = new AbortController();
    const { signal } = doing;
    timer = setTimeout(() => work(signal, ...given).catch((error) => signal.aborted || Promise.reject(error)), ms);
  };
}

const whole = form.querySelector('[data-whole]');
const [number, said, described] = ['.big', '[role="status"]', '[data-words]'].map((each) => whole.querySelector(each));

function show({ counts = {}, people = '–', said: told, words = '' }) {
  for (const place of form.querySelectorAll('[data-counted]')) place.textContent = counts[place.dataset.counted] ?? '';
  number.textContent = people;
  said.textContent = told;
  described.innerHTML = words;
  whole.classList.remove('waiting');
}

/**
 * What the console tells. Forms are of one login: after the next one, in another tab, it is asked once more with the token of that.
 * @param fields of a form that is sent, as they are then
 * @returns `problem`, or null, where it tells nothing
 */
async function ask(at, signal, fields) {
  const send = () => fetch(at, { headers: { accept: 'application/json' }, signal, ...(fields && { method: 'POST', body: new URLSearchParams(fields()) }) });
  try {
    let answer = await send();
    if (fields && answer.status === 403) {
      // Of another script, which may not have arrived.
      const words = await window.whyNot?.(false);
      if (words) return { problem: words.replace(/^Not sent: /, '') };
      answer = await send();
    }
    const told = answer.headers.get('content-type')?.startsWith('application/json') ? await answer.json() : {};
    return answer.ok ? told : { problem: told.problems?.join(' ') ?? null };
  } catch (error) {
    if (signal.aborted) throw error;
    return { problem: null };
  }
}

const count = after(400, async (signal) => {
  whole.classList.add('waiting');
  const told = await ask(form.dataset.counts, signal, () => new FormData(form));
  signal.throwIfAborted();
  show(told.problem === undefined ? told : { said: `Not counted: ${told.problem ?? 'the console cannot be reached.'}` });
});

const box = (name, { id, name: word }) => {
  const input = Object.assign(document.createElement('input'), { type: 'checkbox', name, value: id });
  const label = document.createElement('label');
  label.append(input, ` ${word || `No. ${id}`}`);
  return label;
};

/** What there is of a kind, by these words. People are looked for by POST, so that nobody's name stands in an address. */
async function look(kind, words, signal) {
  const people = kind === 'users';
  const at = people ? '/console/choices/users' : `/console/choices/${kind}?${new URLSearchParams({ q: words })}`;
  const told = await ask(at, signal, people && (() => ({ q: words, _csrf: form.elements._csrf.value })));
  signal.throwIfAborted();
  return told.problem === undefined ? told : { found: [], problem: told.problem ?? 'Nothing can be looked for just now.' };
}

const search = after(250, async (signal, field) => {
  const { found, more, problem } = await look(field.dataset.search, field.value, signal);
  const boxes = field.parentElement.querySelector('.boxes');
  const ticked = [...boxes.querySelectorAll(':checked')];
  const others = found.filter(({ id }) => !ticked.some(({ value }) => value === String(id)));
  for (const input of boxes.querySelectorAll('input:not(:checked)')) input.closest('label').remove();
  boxes.append(...others.map((each) => box(field.dataset.boxes, each)));
  const nothing = field.value.trim() ? 'Nothing of that name.' : '';
  const many = more ? `The first ${found.length}: write more of it.` : `${found.length} found.`;
  field.nextElementSibling.textContent = problem ?? (found.length ? many : nothing);
});

// What may be written into a field, offered while somebody writes it: the arrows choose, Enter takes, Escape closes.

const list = Object.assign(document.createElement('ul'), { id: 'offered', className: 'offered', hidden: true });
list.setAttribute('role', 'listbox');
list.setAttribute('aria-label', 'Offered');
let offered = [];
let at = -1;

for (const field of form.querySelectorAll('[data-offers]')) becomeCombobox(field);

function becomeCombobox(field) {
  for (const [name, value] of Object.entries({ role: 'combobox', 'aria-autocomplete': 'list', 'aria-expanded': 'false', autocomplete: 'off', spellcheck: 'false' }))
    field.setAttribute(name, value);
}

/** What is being written: the last of several, or all of a field that has one thing in it. */
const isOne = (field) => field.dataset.into !== undefined || field.dataset.offers === 'query_reports';
const wordsOf = (field) => (isOne(field) ? field.value : /(?:"[^"]*"?|[^,;"]*)$/.exec(field.value)[0]).replace(/^\s*"?/, '').trim();

const offer = after(150, async (signal, field) => {
  const words = wordsOf(field);
  const { found } = words ? await look(field.dataset.offers, words, signal) : { found: [] };
  if (document.activeElement !== field) return;
  offered = found.slice(0, 12);
  list.replaceChildren(
    ...offered.map(({ name }, n) => {
      const option = Object.assign(document.createElement('li'), { id: `offered-${n}`, textContent: name });
      option.setAttribute('role', 'option');
      option.setAttribute('aria-selected', 'false');
      return option;
    }),
  );
  field.after(list);
  list.hidden = offered.length === 0;
  field.setAttribute('aria-expanded', String(!list.hidden));
  if (!list.hidden) field.setAttribute('aria-controls', list.id);
  moveTo(field, -1);
});

function moveTo(field, place) {
  at = place;
  for (const [n, option] of [...list.children].entries()) option.setAttribute('aria-selected', String(n === at));
  if (at < 0) field.removeAttribute('aria-activedescendant');
  else field.setAttribute('aria-activedescendant', `offered-${at}`);
  list.children[at]?.scrollIntoView({ block: 'nearest' });
}

function close(field) {
  list.hidden = true;
  field.setAttribute('aria-expanded', 'false');
  field.removeAttribute('aria-controls');
  field.removeAttribute('aria-activedescendant');
}

const quoted = (value) => (/[",;]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

function take(field, { value, parameters = [] }) {
  close(field);
  if (field.dataset.into) {
    const lines = document.getElementById(field.dataset.into);
    lines.value = [...lines.value.split('\n').filter((each) => each.trim()), value].join('\n');
    field.value = '';
    lines.dispatchEvent(new Event('input', { bubbles: true }));
  } else if (field.dataset.offers === 'query_reports') {
    const [params] = field.closest('[data-row]').querySelectorAll('textarea');
    field.value = value;
    if (!params.value.trim()) params.value = parameters.map((name) => `${name} = `).join('\n');
    params.rows = Math.max(1, parameters.length);
    (parameters.length ? params : field).focus();
    count();
  } else {
    const before = field.value.slice(0, field.value.length - /(?:"[^"]*"?|[^,;"]*)$/.exec(field.value)[0].length);
    field.value = `${before.trim()}${before.trim() ? ' ' : ''}${quoted(value)}, `;
    count();
  }
}

/** A further row behind the last once something is in it. */
function growBehind(row) {
  if (row.nextElementSibling?.matches('[data-row]') || ![...row.querySelectorAll('textarea, input')].some(({ value }) => value.trim())) return;
  const another = row.cloneNode(true);
  for (const field of another.querySelectorAll('textarea, input')) {
    field.value = '';
    field.removeAttribute('id');
  }
  for (const each of another.querySelectorAll('[role="listbox"]')) each.remove();
  row.after(another);
  for (const field of another.querySelectorAll('[data-offers]')) {
    becomeCombobox(field);
    field.removeAttribute('aria-controls');
  }
}

form.addEventListener('input', ({ target }) => {
  if (target.dataset.search) search(target);
  if (target.dataset.offers) offer(target);
  const row = target.closest('[data-row]');
  if (row) growBehind(row);
  if (/^(includes|excludes)\.|^(limit|sort_by|mergefile|target_)/.test(target.name)) count();
});
form.addEventListener('keydown', (event) => {
  const { key, target } = event;
  const open = target.dataset.offers && !list.hidden && target.getAttribute('aria-expanded') === 'true';
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (open && step) {
    event.preventDefault();
    moveTo(target, (at + step + offered.length + (at < 0 && step < 0 ? 1 : 0)) % offered.length);
  } else if (open && key === 'Escape') {
    event.preventDefault();
    close(target);
  } else if (key === 'Enter' && (target.dataset.search || target.dataset.into || (open && at >= 0))) {
    // It would save the form.
    event.preventDefault();
    const [chosen] = at >= 0 ? [offered[at]] : target.dataset.into ? offered : [];
    if (open && chosen) take(target, chosen);
  }
});
form.addEventListener('focusout', ({ target }) => target.dataset.offers && close(target));
// The field keeps the focus: without it the list would be closed before it is clicked.
list.addEventListener('pointerdown', (event) => event.preventDefault());
list.addEventListener('click', ({ target }) => {
  const option = target.closest('[role="option"]');
  if (option) take(list.previousElementSibling, offered[[...list.children].indexOf(option)]);
});
count();
