import { type Html, html } from './html.ts';

// How numbers and times are written for people. Times are UTC, as scheduling is; the script of the page writes them by the clocks of who looks.

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const percents = new Intl.NumberFormat('en', { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 });
const smallPercents = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 1 });

/** 12,430 */
export const count = (value: number): string => numbers.format(value);

/** 1 person, 12,430 people */
export const counted = (value: number, one: string, many: string): string => `${count(value)} ${value === 1 ? one : many}`;

export const people = (value: number): string => counted(value, 'person', 'people');

/** The number a page is about, before all else. @param one what it counts, where it is one of them, and `many` otherwise */
export const leading = (value: number, one: string, many = one): Html =>
  html`<p class="big">${count(value)} <span>${value === 1 ? one : many}</span></p>`;

const rates = new Intl.NumberFormat('en', { maximumSignificantDigits: 15 });

/** 1 mail per second, 300 mails per second; a rate that is set is said as it is, 0.04 too */
export const perSecond = (rate: number): string => `${rates.format(rate)} ${rate === 1 ? 'mail' : 'mails'} per second`;

/** 0.1234 as 12.3%; three of ten thousand are 0.03% and not nobody, and all but four of them 99.9% and not everybody. */
export function share(value: number): string {
  if (value > 0 && value < 0.001) return smallPercents.format(value);
  return percents.format(value > 0.999 && value < 1 ? 0.999 : value);
}

/** 12345.60 as 12,345.60: a decimal, so text all the way. */
export const grouped = (amount: string): string => amount.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',');

/** Seconds as the two largest units: 3 h 20 min. */
export function duration(seconds: number): string {
  if (seconds < 1) return 'less than a second';
  if (seconds < 59.5) return `${Math.round(seconds)}\u00a0s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes}\u00a0min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours}\u00a0h ${minutes % 60}\u00a0min` : `${hours}\u00a0h`;
  return counted(Math.round(hours / 24), 'day', 'days');
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A time as the API shows it (`2026-11-21T04:38:29`, UTC), to be read: 21 Nov 2026, 04:38. */
export function time(stamp: string | null | undefined, fallback = '–'): Html | string {
  if (!stamp) return fallback;
  const [year, month, day] = stamp.slice(0, 10).split('-');
  const text = `${Number(day)} ${MONTHS[Number(month) - 1]} ${year}, ${stamp.slice(11, 16)}`;
  return html`<time datetime="${stamp}Z" title="${stamp.slice(11, 19)} UTC">${text}</time>`;
}
