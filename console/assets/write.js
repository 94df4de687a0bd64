// Helps whoever writes a mailing: a preview that follows, saving by itself, and what can stand in a mail put in at the cursor. The form does all of it by its buttons, too.

const form = document.querySelector('form[data-write]');
const show = form.querySelector('[formtarget]');
const said = document.getElementById('autosaved');
const version = form.elements.namedItem('version');

/** Runs `work` once nothing has happened for so long. */
function after(ms, work) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, ms);
  };
}

let previews = 0;

/** Each preview comes into a frame of its own, so that going back does not go through all of them; the one before stays until it is there. */
function preview() {
  const place = document.querySelector('.previewed .stage');
  const next = place.firstElementChild.cloneNode();
  next.name = `preview-${++previews}`;
  place.append(next);
  // After the load of the empty frame, which comes at once.
  next.addEventListener('load', () => {
    while (place.firstElementChild !== next) place.firstElementChild.remove();
  });
  show.formTarget = next.name;
  form.requestSubmit(show);
}

const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** A moment by the clocks of who looks; UTC stands behind it. */
function timeOf(moment) {
  const time = document.createElement('time');
  time.dateTime = moment.toISOString();
  time.title = `${time.dateTime.slice(11, 19)} UTC`;
  time.textContent = clock.format(moment);
  return time;
}

/** After it a save is given up: the next one, or the button, need not wait for it. */
const PATIENCE_MS = 20_000;

const { write } = form.dataset;
let saves = write === 'saves' || write === 'begins';
/** Of a new mailing there is a draft once it has a subject: without one there is no mailing. */
let begun = write !== 'begins';
/** How often something was changed, and how many of these changes are saved or on their way by the button. */
let changes = 0;
let saved = 0;

/** From here on the page is that of the draft there is. */
function begin(id) {
  const at = `/console/mailings/${id}/`;
  begun = true;
  history.replaceState(history.state, '', `${at}edit/`);
  document.title = document.title.replace('A new mailing', `Edit – mailing ${id}`);
  form.action = `${at}edit/`;
  form.dataset.problems = `${at}edit/problems`;
  show.formAction = `${at}edit/preview`;
  form.querySelector('[data-links]').formAction = `${at}check-links`;
  const test = form.querySelector('[data-test]');
  if (test) Object.assign(test, { formAction: `${at}edit/test`, hidden: false });
  form.querySelector('[data-advice]').parentElement.hidden = false;
}

const head = document.querySelector('[data-head]');
let headShown;
/** Its title is its first subject. Whoever is in there with the keyboard is not put out of it. */
function showHead(next) {
  if (next === headShown || head.contains(document.activeElement)) return;
  headShown = next;
  head.innerHTML = next;
}

const LOGGED_OUT = 'Not saved: you are logged out. Log in in another tab, and go on here.';
const UNREACHED = 'Not saved: the console cannot be reached.';

async function post() {
  const body = new URLSearchParams([...new FormData(form), ['autosave', '1']]);
  return fetch(form.action, { method: 'POST', body, headers: { accept: 'application/json' }, signal: AbortSignal.timeout(PATIENCE_MS) });
}

/**
 * Forms are of one login: after the next one this page takes over what a new one would have. Where the form goes is a page, too; where this one stands need not be: it may be the answer to
 * a test mail that was refused.
 * @param press of a button, and no save by itself
 * @returns why nothing can be sent; null where it can
 */
async function newToken(press) {
  const answer = await fetch(form.action, { signal: AbortSignal.timeout(PATIENCE_MS) });
  if (answer.status === 401) return LOGGED_OUT;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  if (!answer.ok) return `Not saved: ${page.querySelector('[role="alert"]')?.textContent.trim() ?? 'the console cannot be reached.'}`;
  // Also where its form cannot be saved any more: what it is sent to says why, with what was written.
  // Of another script, which may not have arrived.
  return window.takeOver?.(page, press) ?? null;
}

/** Nothing was answered: neither was what is shown and marked beside what is written. */
let silent = false;
function answered({ status }) {
  if (status === 401 || status === 403 || status >= 500) silent = true;
  else if (silent) {
    silent = false;
    preview();
    form.dispatchEvent(new Event('change'));
  }
}

async function saveNow() {
  if (!saves || saved === changes) return;
  if (!begun && ![...form.querySelectorAll('[name="subject"]')].some(({ value }) => value.trim())) {
    said.textContent = 'Not saved yet: it needs a subject.';
    return;
  }
  // What is changed while this is under way is not in it.
  const sent = changes;
  try {
    let answer = await post();
    answered(answer);
    if (answer.status === 403) {
      const words = await newToken(false);
      if (words !== null) return void (said.textContent = words);
      answer = await post();
      answered(answer);
    }
    const { id, version: next, head: title, advice, problems = [] } = await answer.json();
    if (answer.ok) {
      version.value = next;
      saved = sent;
      if (!begun) begin(id);
      version.dispatchEvent(new Event('change', { bubbles: true }));
      showHead(title);
      form.querySelector('[data-advice]').innerHTML = advice;
      said.replaceChildren('Saved at ', timeOf(new Date()), '.');
    } else {
      // Somebody else was there: from here on it is theirs to decide, by the button.
      if (answer.status === 409) saves = false;
      if (answer.status >= 500) onceMore();
      said.textContent = answer.status === 401 ? LOGGED_OUT : `Not saved: ${problems.join(' ')}`;
    }
  } catch {
    silent = true;
    said.textContent = UNREACHED;
    onceMore();
  }
}

let lastSave = Promise.resolve();
/** One save at a time: each goes on from the version the one before it made. */
function save() {
  lastSave = lastSave.then(saveNow);
}

const soon = after(800, preview);
const later = after(3000, save);
/** What could not be reached is tried again: whoever has written all they wanted would not be told otherwise. */
const onceMore = after(10_000, save);
form.addEventListener('input', ({ target }) => {
  // Of an editor: its field says so, too.
  if (!target.name) return;
  soon();
  if (target.name.startsWith('preview_') && target.name !== 'preview_text') return;
  changes++;
  later();
});
/** A button of the form was pressed: it is looked after, or the page is on its way to what it leads to. */
let pressed = false;
let leaving = false;
addEventListener('pageshow', () => {
  pressed = false;
});
addEventListener('beforeunload', (event) => saved !== changes && event.preventDefault());
form.addEventListener('submit', (event) => {
  const { submitter } = event;
  if (submitter === show || leaving) return;
  event.preventDefault();
  if (pressed) return;
  pressed = true;
  said.textContent = 'Saving …';
  // With the version of before a save under way it would be refused; with nobody logged in it would end at the login, and what was written with it.
  const there = lastSave.then(() => newToken(true));
  there.then(
    (words) => {
      pressed = words === null;
      if (words !== null) return void (said.textContent = words);
      saved = changes;
      leaving = true;
      form.requestSubmit(submitter);
      leaving = false;
    },
    () => {
      pressed = false;
      said.textContent = UNREACHED;
    },
  );
});

const picker = form.elements.namedItem('preview_subject');
/** The picker has the subjects that are in the form; those left empty are none. */
function followSubjects() {
  const many = [...form.querySelectorAll('[name="subject"]')].filter(({ value }) => value.trim()).length;
  const chosen = Math.min(picker.selectedIndex, Math.max(1, many) - 1);
  picker.replaceChildren(...Array.from({ length: Math.max(1, many) }, (_, n) => new Option(n + 1, n)));
  picker.selectedIndex = chosen;
}
form.addEventListener('input', ({ target }) => target.name === 'subject' && followSubjects());
followSubjects();

let last = form.elements.namedItem('html');
form.addEventListener('focusin', ({ target }) => {
  // In an editor, the field it stands for.
  const field = target.closest('[data-field]') ? form.elements.namedItem(target.closest('[data-field]').dataset.field) : target;
  if (['html', 'text', 'subject', 'preview_text'].includes(field.name)) last = field;
});
for (const button of form.querySelectorAll('[data-insert]')) {
  button.addEventListener('click', () => {
    // An editor takes it, where there is one.
    if (!last.dispatchEvent(new CustomEvent('insert', { detail: button.dataset.insert, cancelable: true }))) return;
    last.setRangeText(button.dataset.insert, last.selectionStart, last.selectionEnd, 'end');
    last.dispatchEvent(new Event('input', { bubbles: true }));
    last.focus();
  });
}

for (const button of document.querySelectorAll('[data-preview-width]')) {
  button.addEventListener('click', () => {
    button.closest('.previewed').classList.toggle('phone', button.dataset.previewWidth === 'phone');
    for (const each of document.querySelectorAll('[data-preview-width]')) each.setAttribute('aria-pressed', String(each === button));
  });
}

preview();
