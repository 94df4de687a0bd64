// What somebody has typed outlives their login: a form is not sent while nobody is logged in, which would end at the login without it, nor with the token of the login before.

const LOGGED_OUT = 'Not sent: you are logged out. Log in in another tab, and go on here.';
const UNREACHED = 'Not sent: the console cannot be reached.';
const ASKED_MS = 20_000;
/** In so short a time hardly a login ends, and little is typed: what is sent at once is not held up by a question first, which whoever goes on to another page would cut off. */
const FRESH_MS = 60_000;

/** Why it cannot be sent; null where it can. The page takes over the token a new one would have. */
async function whyNot() {
  try {
    const ask = (page) => fetch(page, { signal: AbortSignal.timeout(ASKED_MS) });
    const here = await ask(location.href);
    // A page that is the answer to a form, and nothing else, is not found, whoever asks: whether somebody is logged in the first page knows, too.
    const answer = here.status === 404 ? await ask('/console/') : here;
    if (answer.status === 401) return LOGGED_OUT;
    if (answer.status >= 500) return UNREACHED;
    const token = answer.ok && new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('[name="_csrf"]')?.value;
    if (token) for (const field of document.querySelectorAll('[name="_csrf"]')) field.value = token;
    return null;
  } catch {
    return UNREACHED;
  }
}

/** Beside the button that was pressed, and read aloud. */
function say(form, submitter, words) {
  form.querySelector('.unsent')?.remove();
  if (words) (submitter?.closest('.actions') ?? form).append(Object.assign(document.createElement('p'), { className: 'small wrong unsent', role: 'alert', textContent: words }));
}

/** Whether something may be written, ticked or chosen in it. The editor of a mailing asks by itself. */
const hasFields = (form) =>
  form.method === 'post' && !form.matches('[data-write]') && [...form.elements].some((field) => field.matches('textarea, select, input:not([type="hidden"])'));

let asking = false;
let asked = null;
document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event;
  if (event.defaultPrevented || form === asked || performance.now() < FRESH_MS || !hasFields(form)) return;
  event.preventDefault();
  if (asking) return;
  asking = true;
  whyNot().then((words) => {
    asking = false;
    say(form, submitter, words);
    if (words) return;
    asked = form;
    form.requestSubmit(submitter);
    asked = null;
  });
});

// This one is the first of a page's scripts: where another does not arrive, its part would go on as if it were about to come.
addEventListener(
  'error',
  ({ target }) => {
    if (!(target instanceof HTMLScriptElement) || document.getElementById('unloaded')) return;
    const words = 'Part of this page did not load: what it counts, draws, shows anew or saves by itself may be missing. Reload it, or go on by its buttons.';
    document.querySelector('main').prepend(Object.assign(document.createElement('p'), { id: 'unloaded', className: 'note warn', role: 'alert', textContent: words }));
  },
  true,
);
