import type { Page } from 'playwright-core';

/** A way through a page by Tab ends by itself; this many stops are no page of ours. */
const MOST_STOPS = 600;

/** Key presses that are sent without waiting for what each has done: a frame is drawn for all of them, not for each. */
const AT_ONCE = 20;
const TAB = { type: 'rawKeyDown', key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 } as const;

/**
 * Walks through a page with Tab alone, from its beginning, and out of the editor as it says.
 * @returns what somebody without a mouse would stumble over, one line each: what is not reached, not in the order in which it is read, or shows nothing when it has the focus
 */
export async function tabTroubles(page: Page): Promise<string[]> {
  await page.evaluate(PREPARE);
  // An editor wants a key of its own to be left, and nobody is told that a frame has the focus.
  const seen = (await page.locator('iframe, .cm-editor').count()) ? await walkStepByStep(page) : await walkAtOnce(page);
  const path = new URL(page.url()).pathname;
  const troubles = await page.evaluate<string[]>(`(${JUDGE})(${JSON.stringify(seen)})`);
  return troubles.map((trouble) => `${path}: ${trouble}`);
}

/** @returns the places of what had the focus among all that should, in order */
async function walkStepByStep(page: Page): Promise<number[]> {
  const seen: number[] = [];
  let inEditor = false;
  for (let stops = 0; stops < MOST_STOPS; stops++) {
    if (inEditor) await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<{ at: number; inEditor: boolean }>(FOCUSED);
    const { at } = focused;
    inEditor = focused.inEditor;
    if (at === NOWHERE || (seen.length > 0 && at === seen[0] && at !== seen.at(-1))) break;
    if (at !== BESIDE && at !== seen.at(-1)) seen.push(at);
  }
  return seen;
}

/** The same where nothing takes the focus without saying so. */
async function walkAtOnce(page: Page): Promise<number[]> {
  const keyboard = await page.context().newCDPSession(page);
  try {
    for (let stops = 0; stops < MOST_STOPS; stops += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, () => keyboard.send('Input.dispatchKeyEvent', TAB)));
      const seen = await page.evaluate<number[]>('window.tabSeen');
      const again = seen.indexOf(seen[0]!, 1);
      if (again > 0) return seen.slice(0, again);
    }
    return page.evaluate<number[]>('window.tabSeen');
  } finally {
    await keyboard.detach();
  }
}

/** Nothing has the focus: the walk has left the page. */
const NOWHERE = -1;
/** Something has it that is no control: a region that scrolls. */
const BESIDE = -2;

/** What should be reached, in the order of the document: of radio buttons of one name the one that is chosen, or else the first. */
const PREPARE = `(() => {
  const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex], [contenteditable="true"]')];
  const chosen = (radio) => {
    const group = all.filter((each) => each.type === 'radio' && each.name === radio.name && each.form === radio.form);
    return group.find((each) => each.checked) ?? group[0];
  };
  window.tabStops = all.filter((each) => each.tabIndex >= 0 && !each.disabled && each.type !== 'hidden'
    && each.checkVisibility({ visibilityProperty: true }) && (each.type !== 'radio' || chosen(each) === each));
  window.tabShown = new Set();
  window.tabSeen = [];
  document.addEventListener('focusin', ({ target }) => {
    const place = window.tabStops.indexOf(target);
    if (place >= 0 && place !== window.tabSeen.at(-1)) window.tabSeen.push(place);
    if (showsFocus(target)) window.tabShown.add(target);
  });
  window.showsFocus = (at) => [at, at.closest('.cm-editor'), at.closest('label')]
    .some((each) => each && (getComputedStyle(each).outlineStyle !== 'none' || getComputedStyle(each).boxShadow !== 'none'));
  document.activeElement?.blur();
  getSelection().removeAllRanges();
})()`;

/** A frame has the focus a moment after nothing had it, and is walked by what stands in it. Some parts show the focus a moment later, or at one of their stops only. */
const FOCUSED = `(async () => {
  const at = () => document.activeElement ?? document.body;
  const shows = () => at() !== document.body && (at().matches('iframe') || showsFocus(at()));
  for (let looks = 0; looks < 20 && !shows(); looks++) await new Promise((resolve) => setTimeout(resolve, 10));
  const focused = at();
  if (focused === document.body) return { at: ${NOWHERE}, inEditor: false };
  if (shows()) window.tabShown.add(focused);
  const place = window.tabStops.indexOf(focused);
  return { at: place < 0 ? ${BESIDE} : place, inEditor: focused.closest('.cm-editor') !== null };
})()`;

const JUDGE = `async (seen) => {
  const shown = (each) => each.outerHTML.slice(0, 120);
  const reached = new Set(seen);
  for (const each of window.tabStops.filter((each, at) => reached.has(at) && !window.tabShown.has(each))) {
    each.focus();
    for (let looks = 0; looks < 20 && !showsFocus(each); looks++) await new Promise((resolve) => setTimeout(resolve, 10));
    if (showsFocus(each)) window.tabShown.add(each);
  }
  return [
    ...window.tabStops.filter((each) => each.tabIndex > 0).map((each) => 'stands out of the order: ' + shown(each)),
    ...window.tabStops.filter((each, at) => each.isConnected && !reached.has(at)).map((each) => 'not reached: ' + shown(each)),
    ...seen.filter((at, n) => n > 0 && at < seen[n - 1]).map((at) => 'goes back to: ' + shown(window.tabStops[at])),
    ...window.tabStops.filter((each, at) => reached.has(at) && !window.tabShown.has(each)).map((each) => 'does not show that it has the focus: ' + shown(each)),
  ];
}`;
