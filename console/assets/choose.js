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

const count = after(400, async (signal) => {
  whole.classList.add('waiting');
  const answer = await fetch(form.dataset.counts, { method: 'POST', body: new URLSearchParams(new FormData(form)), signal }).catch((error) => {
    if (signal.aborted) throw error;
    return null;
  });
  const told = answer?.headers.get('content-type')?.startsWith('application/json') ? await answer.json() : {};
  show(answer?.ok ? told : { said: `Not counted: ${told.problems?.join(' ') ?? 'the console cannot be reached.'}` });
});

const box = (name, { id, name: word }) => {
  const input = Object.assign(document.createElement('input'), { type: 'checkbox', name, value: id });
  const label = document.createElement('label');
  label.append(input, ` ${word || `No. ${id}`}`);
  return label;
};

const search = after(250, async (signal, field) => {
  const answer = await fetch(`/console/choices/${field.dataset.search}?${new URLSearchParams({ q: field.value })}`, { signal });
  if (!answer.ok) return;
  const { found, more } = await answer.json();
  const boxes = field.parentElement.querySelector('.boxes');
  const ticked = [...boxes.querySelectorAll(':checked')];
  const { name } = boxes.querySelector('input');
  const others = found.filter(({ id }) => !ticked.some(({ value }) => value === String(id)));
  for (const input of boxes.querySelectorAll('input:not(:checked)')) input.closest('label').remove();
  boxes.append(...others.map((each) => box(name, each)));
  field.nextElementSibling.textContent = found.length ? (more ? `The first ${found.length}: write more of it.` : `${found.length} found.`) : 'Nothing of that name.';
});

form.addEventListener('input', ({ target }) => {
  if (target.dataset.search) search(target);
  else if (/^(includes|excludes)\.|^(limit|sort_by)$/.test(target.name)) count();
});
form.addEventListener('keydown', (event) => {
  // It would save the form.
  if (event.key === 'Enter' && event.target.dataset.search) event.preventDefault();
});
count();
