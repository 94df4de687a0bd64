// Keeps what changes by itself up to date, and draws charts. Every page says all it has to say without this.

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const seen = () => new Promise((resolve) => {
  if (!document.hidden) return resolve();
  document.addEventListener('visibilitychange', resolve, { once: true });
});

const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** Times by the clocks of who looks; UTC, which the server writes, stands behind each. */
function ownTimes(root) {
  for (const place of root.querySelectorAll('time[datetime]')) {
    const parts = Object.fromEntries(day.formatToParts(new Date(place.dateTime)).map(({ type, value }) => [type, value]));
    place.title = `${place.textContent}${place.dateTime.slice(16, 19)} UTC`;
    place.textContent = `${parts.day} ${parts.month} ${parts.year}, ${parts.hour}:${parts.minute}`;
  }
  const { timeZone } = day.resolvedOptions();
  if (timeZone === 'UTC') return;
  for (const place of root.querySelectorAll('[data-zone]')) place.textContent = `Times are those of ${timeZone}; UTC stands behind each.`;
}
/** Tables that are to be read, and that the server has no file of, can be had as one: the rows that are shown. */
function offerFiles(root) {
  for (const region of root.querySelectorAll('.scroll[role=group]')) {
    if (region.querySelector('input, select, textarea') || !region.querySelector('tbody tr') || region.parentElement.querySelector('.take')) continue;
    const offer = document.createElement('p');
    offer.className = 'small take';
    offer.innerHTML = '<button type="button" class="quiet" data-file>CSV<span class="unseen"> of these rows</span></button>';
    region.after(offer);
  }
}

/** As people read it, but our numbers without their commas (those of a text are its own: `3,5,7`, `12,5`), times in UTC, and nothing that a spreadsheet would run: guarded and quoted as the files of reports (domain/reports/cells.ts). */
function cell(node) {
  const time = node.querySelector('time[datetime]');
  const words = node.innerText.trim().replace(/\s+/g, ' ');
  const text = time && time.innerText.trim() === words ? time.dateTime : node.matches('.n') && /^-?\d[\d,]*(\.\d+)?$/.test(words) ? words.replaceAll(',', '') : words;
  const safe = /^[=+@＝＋－＠]|^-(?![\d.,]+%?$)/.test(text) ? `'${text}` : text;
  return /[",;]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

document.addEventListener('click', ({ target }) => {
  const offer = target.closest?.('[data-file]')?.parentElement;
  if (!offer) return;
  const rows = [...offer.previousElementSibling.querySelectorAll('tr')].map((row) => `${[...row.cells].map(cell).join(',')}\r\n`);
  const href = URL.createObjectURL(new Blob(['\uFEFF', ...rows], { type: 'text/csv' }));
  const name = `${offer.previousElementSibling.getAttribute('aria-label') ?? document.querySelector('h1').textContent}.csv`;
  Object.assign(document.createElement('a'), { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
});

/** For so long a form that was sent is taken to be on its way. */
const ON_ITS_WAY_MS = 5_000;
let sentAt = new WeakMap();
addEventListener('pageshow', () => {
  sentAt = new WeakMap();
});

// A button pressed twice would do twice what it does, and a browser shows the answer to the second press alone: that there is such a list already, say.
document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event;
  // Into a frame, or as a file: the page stays, and may ask again.
  if (event.defaultPrevented || form.getAttribute('method') !== 'post' || submitter?.hasAttribute('formtarget') || form.dataset.again !== undefined) return;
  const now = performance.now();
  if (now - (sentAt.get(form) ?? Number.NEGATIVE_INFINITY) < ON_ITS_WAY_MS) event.preventDefault();
  else sentAt.set(form, now);
});

/** What a page has said anew. */
function ready(root) {
  ownTimes(root);
  offerFiles(root);
}
ready(document);

/** Makes `from` like `to`, keeping the nodes there are: what has the focus, or is selected, stays so. */
function morph(from, to) {
  if (from.nodeType !== Node.ELEMENT_NODE) {
    if (from.data !== to.data) from.data = to.data;
    return;
  }
  for (const { name } of [...from.attributes]) if (!to.hasAttribute(name) && name !== 'open') from.removeAttribute(name);
  for (const { name, value } of to.attributes) if (from.getAttribute(name) !== value) from.setAttribute(name, value);
  const [old, next] = [[...from.childNodes], [...to.childNodes]];
  const alike = old.length === next.length && old.every((node, index) => node.nodeName === next[index].nodeName);
  if (alike) old.forEach((node, index) => morph(node, next[index]));
  else from.replaceChildren(...next);
}

/** What says which of the things to be pressed this is. */
const keyOf = (node) => [node.tagName, node.id, node.getAttribute('href'), node.closest('form')?.getAttribute('action')].join(' ');

/** Whoever is at something by the keyboard stays at it, or where it was: neither back at the top, nor at another button that has come into its place. */
function holdFocus(region, held, key) {
  if (held.isConnected && keyOf(held) === key) return;
  const like = [...region.querySelectorAll('a[href], button, summary, [tabindex]')].find((each) => keyOf(each) === key);
  if (!like) region.tabIndex = -1;
  (like ?? region).focus({ preventScroll: true });
}

function show(regions) {
  for (const [name, markup] of Object.entries(regions)) {
    const region = document.querySelector(`[data-region="${name}"]`);
    if (!region) continue;
    const next = region.cloneNode(false);
    next.innerHTML = markup;
    ready(next);
    const held = region !== document.activeElement && region.contains(document.activeElement) ? document.activeElement : null;
    const key = held && keyOf(held);
    morph(region, next);
    if (held) holdFocus(region, held, key);
  }
}

/** What hangs is taken for no answer after it. */
const PATIENCE_MS = 10_000;
const stale = document.getElementById('stale');
let heardAt = new Date();

const silentSince = (then) => `The console has not answered since ${then}: what stands here is of then.`;
const loggedOutSince = (then) => `You are logged out: log in in another tab, and go on here. What stands here is of ${then}.`;
const notAllowedSince = (then) => `Your account may not see this any more: what stands here is of ${then}.`;
const SINCE = { 401: loggedOutSince, 403: notAllowedSince };

/** Old figures look as good as new ones: it is said when they are old, and of when. */
function heard(answered, wordsOf = silentSince) {
  if (answered) heardAt = new Date();
  document.body.classList.toggle('stale', !answered);
  const words = answered ? '' : wordsOf(day.format(heardAt));
  if (stale.textContent === words) return;
  stale.hidden = answered;
  stale.textContent = words;
}

/** What somebody has written into the page would go with it. */
let written = false;
document.addEventListener('input', () => {
  written = true;
});

async function keepUp(address) {
  const status = document.getElementById('said');
  let last = null;
  for (;;) {
    let pause = 5000;
    await seen();
    try {
      const answer = await fetch(address, { headers: { accept: 'application/json' }, signal: AbortSignal.timeout(PATIENCE_MS) });
      if (answer.status === 404 || (answer.status in SINCE && !written)) return location.reload();
      if (answer.ok) {
        const { busy, regions, said } = await answer.json();
        show(regions);
        // Not the first: it is what the page has just said.
        if (last !== null && said !== last) status.textContent = said;
        last = said;
        if (busy) pause = 1000;
      }
      heard(answer.ok, SINCE[answer.status]);
    } catch {
      heard(false);
    }
    await wait(pause);
  }
}

const { live } = document.body.dataset;
if (live) keepUp(live);

// Parts that take their time. Where one cannot be had the whole page is asked for, which says why.
async function fill(place) {
  const answer = await fetch(place.dataset.part).catch(() => null);
  if (!answer?.ok || answer.redirected) return location.replace(place.dataset.whole);
  place.innerHTML = await answer.text();
  ready(place);
  place.removeAttribute('aria-busy');
}
for (const place of document.querySelectorAll('[data-part]')) fill(place);

// Charts: one request has the data of all of a place.

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
/** With all its places: what is small in a report is not nothing. */
const grouped = new Intl.NumberFormat('en', { maximumSignificantDigits: 15 });

/** Percent as pages write them (numbers.ts): some is not nobody, and nearly all not everybody. */
function percent(value) {
  if (value > 0 && value < 0.1) return `${Number(value.toPrecision(1))}%`;
  return `${(value > 99.9 && value < 100 ? 99.9 : value).toFixed(1)}%`;
}

const FONT = '12px system-ui, sans-serif';
function axis(more) {
  return { stroke: colour('--soft'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false }, font: FONT, ...more };
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 6 });
/** At an axis, where there is room for few letters: 2.5B, 1e+21. */
function brief(value) {
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-6)) return Number(value.toPrecision(6)).toExponential();
  return size >= 1e9 ? compact.format(value) : grouped.format(value);
}

const pen = document.createElement('canvas').getContext('2d');
/** How wide an axis has to be: of a number that is cut off what is left is another number. */
function roomFor(words) {
  pen.font = FONT;
  return Math.max(56, ...words.map((each) => Math.ceil(pen.measureText(each).width) + 10));
}

// By the finest step that is shown: what stands at each line, and what beneath it where the year or the day changes.
const TIMES = [
  [28 * 86400, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [86400, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [60, '{HH}:{mm}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
];

const DAY = 86_400;
/** Whole days are those of the server, by UTC; what is finer is told by the clocks of who looks. */
const byDay = (times) => times.length > 1 && times[1] - times[0] >= DAY;
const utcStamp = (time) => new Date(time * 1000).toISOString().slice(0, 19).replace('T', ' ');

/** A moment to the second by the clocks of who looks, with UTC behind it. */
function momentOf(time) {
  const textContent = uPlot.fmtDate('{YYYY}-{MM}-{DD} {HH}:{mm}:{ss}')(new Date(time * 1000));
  return Object.assign(document.createElement('time'), { dateTime: `${utcStamp(time).replace(' ', 'T')}Z`, title: `${utcStamp(time)} UTC`, textContent });
}

/** The same numbers to be read, and heard; and to be had as a file, where the server has none of them. @param name of the file */
function tabulate({ times, series, shares }, name, filed) {
  const written = shares ? percent : grouped.format;
  const cells = (kind, values) =>
    values.map((value) => {
      const cell = document.createElement(kind);
      cell.append(value);
      return cell;
    });
  const days = byDay(times);
  const row = (first, ...others) => {
    const line = document.createElement('tr');
    for (const each of others) each.className = 'n';
    line.append(first, ...others);
    return line;
  };
  const table = document.createElement('table');
  table.createTHead().append(row(...cells('th', [days ? 'UTC' : 'Time', ...series.map(({ label }) => label)])));
  const body = table.createTBody();
  times.forEach((time, index) => {
    if (series.some(({ values }) => values[index])) {
      body.append(row(...cells('td', [days ? utcStamp(time) : momentOf(time), ...series.map(({ values }) => written(values[index]))])));
    }
  });
  const details = document.createElement('details');
  const region = Object.assign(document.createElement('div'), { className: 'scroll', role: 'group', tabIndex: 0, ariaLabel: `${name} as a table` });
  region.append(table);
  details.append(Object.assign(document.createElement('summary'), { textContent: 'As a table' }), region);
  if (!filed) offerFiles(details);
  return details;
}

/** @param utc whose times are said in UTC beside it, too */
function draw(figure, { times, series, shares }, utc = byDay(times)) {
  const written = shares ? percent : grouped.format;
  const whole = !shares && series.every(({ values }) => values.every((value) => value === null || Number.isInteger(value)));
  // Of what is counted there are no parts.
  const least = whole ? 1 : shares ? 0.1 : 0;
  const atLine = (value) => (shares ? percent(value) : whole && !Number.isInteger(value) ? '' : brief(value));
  const place = figure.querySelector('.plot');
  const lines = series.map(({ label, tone, steps }) => ({
    label,
    stroke: colour(tone),
    fill: steps ? `${colour(tone)}33` : undefined,
    width: 1.5,
    points: { show: !steps && times.length < 40, size: 4 },
    paths: steps ? uPlot.paths.stepped({ align: 1 }) : undefined,
    value: (_plot, value) => (value === null ? '–' : written(value)),
  }));
  const options = (width) => ({
    width,
    height: Math.max(180, Math.min(260, width / 3)),
    // Half of a date stands beside the last line.
    padding: [12, 36, 0, 0],
    tzDate: (seconds) => (utc ? uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC') : new Date(seconds * 1000)),
    legend: { live: true },
    cursor: { drag: { x: true, y: false } },
    scales: { y: { range: (_plot, low, high) => [Math.min(0, low * 1.1), Math.max(high * 1.1, least) || (low < 0 ? 0 : 1)] } },
    axes: [axis({ values: TIMES }), axis({ size: (_plot, words) => roomFor(words ?? []), values: (_plot, values) => values.map(atLine) })],
    series: [{ label: utc ? 'UTC' : day.resolvedOptions().timeZone, value: '{YYYY}-{MM}-{DD} {HH}:{mm}:{ss}' }, ...lines],
  });
  const data = [times, ...series.map(({ values }) => values)];
  const make = () => {
    place.replaceChildren();
    return new uPlot(options(place.clientWidth), data, place);
  };
  let plot = make();
  new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: options(place.clientWidth).height })).observe(place);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    plot.destroy();
    plot = make();
  });
}

/** An empty place says neither that there is nothing nor that it did not come. */
function sayUndrawn(figure, words = 'The chart could not be loaded. Reload the page to try again.') {
  figure.querySelector('.plot').replaceWith(Object.assign(document.createElement('p'), { className: 'nothing', textContent: words }));
}

async function drawAll(place) {
  const figures = place.querySelectorAll('[data-chart]');
  if (!figures.length) return;
  const answer = await fetch(place.dataset.charts).catch(() => null);
  const charts = answer?.ok ? await answer.json() : null;
  for (const figure of figures) {
    if (charts === null) {
      sayUndrawn(figure);
      continue;
    }
    const chart = charts[figure.dataset.chart];
    if (chart?.times.length) {
      draw(figure, chart);
      const filed = figure.querySelector('.take') ?? figure.parentElement.querySelector(':scope > .take');
      figure.append(tabulate(chart, figure.querySelector('h2')?.textContent ?? 'The chart', filed));
    } else sayUndrawn(figure, 'Nothing yet.');
  }
}

if (window.uPlot) {
  for (const place of document.querySelectorAll('[data-charts]')) drawAll(place);
  // The page has the numbers already, and a table of them.
  for (const figure of document.querySelectorAll('[data-drawn]')) draw(figure, JSON.parse(figure.dataset.drawn), true);
} else for (const place of document.querySelectorAll('.plot')) sayUndrawn(place.parentElement);

// On a phone the bar on top and tabs are rows that scroll.
for (const here of document.querySelectorAll('.top nav [aria-current], .tabs [aria-current], .subtabs [aria-current]')) {
  const row = here.parentElement;
  row.scrollLeft = here.offsetLeft - row.offsetLeft - (row.clientWidth - here.offsetWidth) / 2;
}

// Zones are picked by a part of their name; whoever has set no time means their own.
const zones = document.querySelectorAll('input[name=zone], input[name=timezone]');
for (const field of zones) {
  const list = Object.assign(document.createElement('datalist'), { id: `${field.id}-known` });
  list.append(...Intl.supportedValuesOf('timeZone').map((zone) => new Option(zone)));
  field.after(list);
  field.setAttribute('list', list.id);
  if (field.form.elements.namedItem('at')?.value === '' || 'fresh' in field.form.dataset) field.defaultValue = day.resolvedOptions().timeZone;
}

// A page in a frame is as high as there is room.
for (const button of document.querySelectorAll('[data-width]')) {
  button.addEventListener('click', () => {
    const frame = document.querySelector('.mail iframe');
    frame.classList.toggle('phone', button.dataset.width === 'phone');
    for (const each of document.querySelectorAll('[data-width]')) each.setAttribute('aria-pressed', String(each === button));
  });
}
