// What somebody has typed outlives their login: a form is not sent while nobody is logged in, which would end at the login without it, nor with the token of the login before.

const LOGGED_OUT = 'Not sent: you are logged out. Log in in another tab, and go on here.';
const UNREACHED = 'Not sent: the console cannot be reached.';
const ASKED_MS = 20_000;
/** In so short a time hardly a login ends, and little is typed: what is sent at once is not held up by a question first, which whoever goes on to another page would cut off. */
const FRESH_MS = 60_000;

const whoIn = (page) => page.querySelector('.who span');
/**
 * The page takes over the token that a new one has. Where somebody else has logged in since, what was written by one account would go out as the other's.
 * @param press of a button: whoever presses it once more means that
 * @returns why nothing can be sent; null where it can
 */
function takeOver(page, press) {
  const [shown, now] = [whoIn(document), whoIn(page)?.textContent];
  if (now && shown && shown.textContent !== now) {
    if (press) shown.textContent = now;
    return `Not sent: ${now} is logged in by now. To send it as ${now}, press once more.`;
  }
  const token = page.querySelector('[name="_csrf"]')?.value;
  if (token) for (const field of document.querySelectorAll('[name="_csrf"]')) field.value = token;
  return null;
}
window.takeOver = takeOver;

/**
 * Why it cannot be sent; null where it can.
 * @param press of a button, and nothing that a script asks for by itself
 */
async function whyNot(press) {
  try {
    const ask = (page) => fetch(page, { signal: AbortSignal.timeout(ASKED_MS) });
    const here = await ask(location.href);
    // A page that is the answer to a form, and nothing else, is not found, whoever asks: whether somebody is logged in the first page knows, too.
    const answer = here.status === 404 ? await ask('/console/') : here;
    if (answer.status === 401) return LOGGED_OUT;
    if (answer.status >= 500) return UNREACHED;
    return answer.ok ? takeOver(new DOMParser().parseFromString(await answer.text(), 'text/html'), press) : null;
  } catch {
    return UNREACHED;
  }
}

window.whyNot = whyNot;

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
  whyNot(true).then((words) => {
    asking = false;
    say(form, submitter, words);
    if (words) return;
    asked = form;
    form.requestSubmit(submitter);
    asked = null;
  });
});

/** Whether something else stands in it than the page came with. */
function differs(field) {
  if (!field.name || field.type === 'hidden') return false;
  if (field.matches('select')) return field.selectedIndex !== Math.max(0, [...field.options].findIndex(({ defaultSelected }) => defaultSelected));
  if (field.matches('[type="checkbox"], [type="radio"]')) return field.checked !== field.defaultChecked;
  return field.matches('input, textarea') && field.value !== field.defaultValue;
}

const VERSIONS = '[name="version"], [name="targeting_version"]';
const formOf = (version) => version.form.getAttribute('action');
/** Of what the forms are, for whoever comes back to the page. Beside its address: `history.replaceState` would have an answer to a form be asked for without it when it is loaded anew. */
function keepVersions() {
  const opened = Object.fromEntries([...document.querySelectorAll(VERSIONS)].map((version) => [formOf(version), version.value]));
  window.navigation?.updateCurrentEntry({ state: { opened } });
}
document.addEventListener('change', ({ target }) => target.matches(VERSIONS) && keepVersions());

// Whoever comes back to a page gets it as it is now, and in its fields what they had typed, beside what stood there then. Sent as if it were beside what stands there now, it would take the
// place of what somebody else has written meanwhile, without a word.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) return;
  const { opened = {} } = window.navigation?.currentEntry.getState() ?? {};
  for (const version of document.querySelectorAll(VERSIONS)) {
    if (formOf(version) in opened && [...version.form.elements].some(differs)) version.value = opened[formOf(version)];
  }
  keepVersions();
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
