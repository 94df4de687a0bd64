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

let saving = form.dataset.write === 'saves';
let dirty = false;
async function save() {
  if (!saving) return;
  try {
    const answer = await fetch(form.action, { method: 'POST', body: new URLSearchParams([...new FormData(form), ['autosave', '1']]) });
    const { version: saved, problems = [] } = answer.status === 500 ? {} : await answer.json();
    if (answer.ok) {
      version.value = saved;
      dirty = false;
      said.textContent = `Saved at ${new Date().toISOString().slice(11, 16)} UTC.`;
    } else {
      // Somebody else was there: from here on it is theirs to decide, by the button.
      if (answer.status === 409) saving = false;
      said.textContent = `Not saved: ${problems.join(' ')}`;
    }
  } catch {
    said.textContent = 'Not saved: the console cannot be reached.';
  }
}

const soon = after(800, preview);
const later = after(3000, save);
form.addEventListener('input', ({ target }) => {
  // Of an editor: its field says so, too.
  if (!target.name) return;
  soon();
  if (target.name.startsWith('preview_') && target.name !== 'preview_text') return;
  dirty = true;
  later();
});
addEventListener('beforeunload', (event) => dirty && event.preventDefault());
form.addEventListener('submit', ({ submitter }) => {
  if (submitter !== show) dirty = false;
});

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
