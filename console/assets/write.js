// Helps whoever writes a mailing: a preview that follows, saving by itself, and what can stand in a mail put in at the cursor. The form does all of it by its buttons, too.

const form = document.querySelector('form[data-write]');
const show = form.querySelector('[formtarget="preview"]');
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

/** Each preview comes into a frame of its own, so that going back does not go through all of them; the one before stays until it is there. */
function preview() {
  const frames = document.querySelectorAll('iframe[name="preview"]');
  const old = frames[frames.length - 1];
  const next = old.cloneNode();
  for (const each of frames) each.name = '';
  next.hidden = true;
  next.addEventListener('load', () => {
    // The first load is of the empty frame.
    if (!next.dataset.asked) return;
    for (const each of old.parentElement.querySelectorAll('iframe')) if (each !== next) each.remove();
    next.hidden = false;
  });
  old.after(next);
  next.dataset.asked = '1';
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
  soon();
  if (target.name.startsWith('preview_') && target.name !== 'preview_text') return;
  dirty = true;
  later();
});
addEventListener('beforeunload', (event) => dirty && event.preventDefault());
form.addEventListener('submit', ({ submitter }) => {
  if (submitter?.formTarget !== 'preview') dirty = false;
});

let last = form.elements.namedItem('html');
form.addEventListener('focusin', ({ target }) => {
  if (['html', 'text', 'subject', 'preview_text'].includes(target.name)) last = target;
});
for (const button of form.querySelectorAll('[data-insert]')) {
  button.addEventListener('click', () => {
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
