import { type Html, markup } from './html.ts';

// Drawn on 24 by 24, with lines only: they take the colour of the words beside them, which say the same, so nobody is told of them.

const LINES = {
  home: 'M4 11.5 12 5l8 6.5M6.5 10v9h11v-9M10.5 19v-5h3v5',
  mail: 'M4 6.5h16v11H4zM4 7l8 6.5L20 7',
  people:
    'M9 11.5a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4M3.5 19c0-3.2 2.3-5 5.5-5s5.5 1.8 5.5 5M15.5 5.6a3 3 0 0 1 0 5.6M17 14.4c2.2.6 3.5 2.2 3.5 4.6',
  list: 'M9 6.5h11M9 12h11M9 17.5h11M4.5 6.5h.5M4.5 12h.5M4.5 17.5h.5',
  gift: 'M12 19.5C6.5 15.8 4 13 4 9.8 4 7.3 5.8 5.7 8 5.7c1.7 0 3.1.9 4 2.4.9-1.5 2.3-2.4 4-2.4 2.2 0 4 1.6 4 4.1 0 3.2-2.5 6-8 9.7z',
  phone: 'M6.2 4.5h3l1.4 4-2 1.4a11 11 0 0 0 5.5 5.5l1.4-2 4 1.4v3c0 .9-.7 1.7-1.7 1.7A13.3 13.3 0 0 1 4.5 6.2c0-1 .8-1.7 1.7-1.7z',
  chart: 'M4.5 4.5v15h15M8.5 15.5v-4M12.5 15.5v-8M16.5 15.5v-6',
  hook: 'M9.5 14.5l5-5M8 11l-2 2a3.6 3.6 0 0 0 5 5l2-2M16 13l2-2a3.6 3.6 0 0 0-5-5l-2 2',
  key: 'M8.5 15.5a4 4 0 1 0 0-7 4 4 0 0 0 0 7M11.7 12H20v3M16.5 12v2.5',
  pulse: 'M3.5 12.5H8l2.2-6 3.6 11.5 2.2-5.5h4.5',
  alert: 'M12 4.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15M12 8.5v4.5M12 15.8v.2',
  branch:
    'M6.5 8.5v7M6.5 8.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4M6.5 19.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4M17.5 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4M17.5 12c0 3-4 3-11 3.5',
  book: 'M5 5.5h5c1.2 0 2 .7 2 1.8v11.2c-.5-.7-1.2-1-2-1H5zM19 5.5h-5c-1.2 0-2 .7-2 1.8v11.2c.5-.7 1.2-1 2-1h5z',
} as const;

export type IconName = keyof typeof LINES;

/** A small picture beside a word. */
export const icon = (name: IconName): Html =>
  markup(`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="${LINES[name]}"/></svg>`);
