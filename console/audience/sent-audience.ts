import { readId } from '../../api/resource/paths.ts';
import type { StoredAudience } from '../../core/mailings/choices.ts';
import { TARGETING_FIELDS } from '../../core/mailings/input/targeting.ts';
import type { Side } from '../../domain/targeting/compile.ts';
import type { RawSql, Targeting, TargetingField } from '../../domain/targeting/fields.ts';
import { type Sent, textsOf } from '../fields.ts';
import { OF_MAILING, type OfMailing } from './audience-fields.ts';
import { readMembers, readParameters } from './members.ts';

// What was sent of an audience, as the API takes it: whatever cannot be right is passed on, so that it is refused and never left out.

/** The field of a form that names those it had: an unticked box sends nothing, and a field that was not there is not one that was emptied. */
export const SET = 'set';

type Read = (sent: Sent, name: string) => unknown;

const textsIn = (sent: Sent, name: string) => textsOf(sent, name).map((text) => text.replaceAll('\r\n', '\n'));
const orNull = (values: unknown[]) => (values.length ? [...new Set(values)] : null);
const idOrText = (text: string) => (readId(text) === null ? text : Number(text));
const filled = (text: string) => text.trim() !== '';

/** Sent more often than once, it is what no reader takes. */
const single: Read = (sent, name) => textsIn(sent, name).filter(filled).join(', ').trim() || null;
const yesOrNo: Read = (sent, name) => {
  const text = single(sent, name);
  return text === 'yes' ? true : text === 'no' ? false : text;
};
const chosen: Read = (sent, name) => orNull(textsIn(sent, name).filter(filled).map(idOrText));
const written: Read = (sent, name) => orNull(textsIn(sent, name).flatMap(readMembers));
const lines: Read = (sent, name) =>
  orNull(
    textsIn(sent, name)
      .flatMap((text) => text.split('\n'))
      .map((text) => text.trim())
      .filter(Boolean),
  );

const people: Read = (sent, name) => orNull(textsIn(sent, name).flatMap(readMembers).map(idOrText));

const statements: Read = (sent, name) => {
  const dialects = textsOf(sent, `${name}.dialect`);
  return orNull(
    textsIn(sent, name).flatMap((sql, n) => (filled(sql) ? [dialects[n] === undefined ? sql : { sql, dialect: dialects[n] }] : [])),
  );
};

const reports: Read = (sent, name) => {
  const params = textsIn(sent, `${name}.params`);
  const rows = textsIn(sent, name).map((text, n) => ({ short_name: text.trim(), params: params[n] ?? '' }));
  return orNull(
    rows
      .filter(({ short_name, params: text }) => short_name !== '' || filled(text))
      .map(({ short_name, params: text }) => ({ short_name, params: readParameters(text) ?? text })),
  );
};

const READS: Record<TargetingField, Read> = {
  users: people,
  lists: chosen,
  tags: chosen,
  actions: chosen,
  mailings: chosen,
  languages: chosen,
  target_groups: chosen,
  campaigns: chosen,
  campaign_radius: single,
  campaign_samestate_only: yesOrNo,
  campaign_same_county_only: yesOrNo,
  campaign_same_district_only: yesOrNo,
  states: written,
  countries: written,
  regions: written,
  counties: written,
  cds: written,
  state_house_districts: written,
  state_senate_districts: written,
  zips: lines,
  zip_radius: single,
  has_donated: yesOrNo,
  was_monthly_donor: chosen,
  raw_sql: statements,
  query_reports: reports,
};

const READS_OF_MAILING: Record<OfMailing, Read> = {
  limit: single,
  sort_by: single,
  target_group_from_landing_page: (sent, name) => yesOrNo(sent, name) ?? false,
  target_mergefile: (sent, name) => yesOrNo(sent, name) ?? false,
  mergefile: single,
};

type Wanted = Record<Side, Record<string, unknown>> & Partial<Record<OfMailing, unknown>>;

/** The form as the API takes it: a field left empty is taken away, one that the form did not have stays. */
export function wantedOf(sent: Sent): Wanted {
  const had = new Set(textsOf(sent, SET).flatMap((text) => text.split(' ')));
  const isThere = (name: string) => had.has(name) || Object.hasOwn(sent, name);
  const side = (name: Side) =>
    Object.fromEntries(
      TARGETING_FIELDS.filter((field) => isThere(`${name}.${field}`)).map((field) => [field, READS[field](sent, `${name}.${field}`)]),
    );
  const ofMailing = OF_MAILING.filter(isThere).map((field) => [field, READS_OF_MAILING[field](sent, field)]);
  return { ...Object.fromEntries(ofMailing), includes: side('includes'), excludes: side('excludes') };
}

/** The same, with statements as they are stored where they are no others but for the ends of their lines, which a browser changes. */
export function asStored(wanted: Wanted, stored: Record<Side, Targeting>): Wanted {
  const side = (name: Side) => {
    const statements = wanted[name]['raw_sql'];
    if (!Array.isArray(statements)) return wanted[name];
    const kept = new Map(stored[name].raw_sql?.map((raw) => [keyOf(raw), raw]));
    return { ...wanted[name], raw_sql: statements.map((raw) => kept.get(keyOf(raw)) ?? raw) };
  };
  return { ...wanted, includes: side('includes'), excludes: side('excludes') };
}

function keyOf(raw: RawSql): string {
  const { sql, dialect } = typeof raw === 'string' ? { sql: raw, dialect: 'postgresql' } : raw;
  return JSON.stringify([dialect, sql.replace(/\r\n?/g, '\n')]);
}

/** A side as it stands in the fields, which may be nothing that could be stored. */
export type FilledSide = { [Field in TargetingField]?: unknown };

/** What is in the fields of the form: what is stored, or what was sent. */
export interface Filled extends Record<Side, FilledSide>, Partial<Record<OfMailing, unknown>> {
  /** What it is checked against when it is saved. */
  targeting_version: number | string;
}

/** The form as it was sent: a field that was emptied is empty. What the form had no field for is as it is stored. */
export function filledOf(sent: Sent, stored: StoredAudience): Filled {
  const { includes, excludes, ...others } = wantedOf(sent);
  const side = (name: Side, wanted: Record<string, unknown>): FilledSide =>
    Object.fromEntries(Object.entries({ ...stored[name], ...wanted }).filter(([, value]) => value !== null));
  return {
    ...stored,
    ...others,
    includes: side('includes', includes),
    excludes: side('excludes', excludes),
    targeting_version: versionOf(sent),
  };
}

/** The version the form was made of; what is none is refused. */
export function versionOf(sent: Sent): number | string {
  const text = textsOf(sent, 'targeting_version').join(', ');
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}

/** Members of a field that is a list. */
export const membersIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The ids among what is in a field. */
export const idsIn = (value: unknown): number[] => membersIn(value).filter((each): each is number => typeof each === 'number');
