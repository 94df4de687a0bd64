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

async function saveNow() {
  if (!saves || saved === changes) return;
  if (!begun && ![...form.querySelectorAll('[name="subject"]')].some(({ value }) => value.trim())) {
    said.textContent = 'Not saved yet: it needs a subject.';
    return;
  }
  // What is changed while this is under way is not in it.
  const sent = changes;
  try {
    const body = new URLSearchParams([...new FormData(form), ['autosave', '1']]);
    const answer = await fetch(form.action, { method: 'POST', body, signal: AbortSignal.timeout(PATIENCE_MS) });
    const { id, version: next, head: title, advice, problems = [] } = answer.status === 500 ? {} : await answer.json();
    if (answer.ok) {
      version.value = next;
      saved = sent;
      if (!begun) begin(id);
      showHead(title);
      form.querySelector('[data-advice]').innerHTML = advice;
      said.replaceChildren('Saved at ', timeOf(new Date()), '.');
    } else {
      // Somebody else was there: from here on it is theirs to decide, by the button.
      if (answer.status === 409) saves = false;
      said.textContent = `Not saved: ${problems.join(' ')}`;
    }
  } catch {
    said.textContent = 'Not saved: the console cannot be reached.';
  }
}

let waiting = 0;
let lastSave = Promise.resolve();
/** One save at a time: each goes on from the version the one before it made. */
function save() {
  waiting++;
  lastSave = lastSave.then(saveNow).finally(() => waiting--);
}

const soon = after(800, preview);
const later = after(3000, save);
form.addEventListener('input', ({ target }) => {
  // Of an editor: its field says so, too.
  if (!target.name) return;
  soon();
  if (target.name.startsWith('preview_') && target.name !== 'preview_text') return;
  changes++;
  later();
});
addEventListener('beforeunload', (event) => saved !== changes && event.preventDefault());
form.addEventListener('submit', (event) => {
  const { submitter } = event;
  if (submitter === show) return;
  if (!waiting) {
    saved = changes;
    return;
  }
  // With the version of before the save under way, it would be refused.
  event.preventDefault();
  said.textContent = 'Saving …';
  lastSave.then(() => form.requestSubmit(submitter));
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
