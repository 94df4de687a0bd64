import { setImmediate as othersTurn } from 'node:timers/promises';
import { InputError, PermissionError, UnknownListError } from '../../../domain/errors.ts';
import { parametersOf, type WrittenStatement } from '../../../domain/reports/written.ts';
import { stable } from '../../../domain/targeting/change.ts';
import type { Side } from '../../../domain/targeting/compile.ts';
import { MOST_MILES, type Targeting, type TargetingField } from '../../../domain/targeting/fields.ts';
import { uriOf } from '../../../domain/uris.ts';
import { readBoolean, readDict, readNumber } from '../../../domain/values.ts';
import { MONTHLY_DONOR_STATES, type MonthlyDonorState } from '../../../domain/words.ts';
import { zipsOfCity } from '../../geo/city-zips.ts';
import { namesCity, readPlace } from '../../geo/read-place.ts';
import { missingIds, type Resolved, readReference, resolveReferences } from '../../references.ts';
import { type InputContext, readList, readString, readStrings, several } from './context.ts';
import { addedRawSql, readRawSql, readUsableRawSql } from './raw-sql.ts';
import { readNamedUsers, resolveUsers } from './users.ts';

type TargetingContext = InputContext & { stored: Targeting };
/** What a value can be read by before anything is looked up. */
export type ShapeContext = Pick<InputContext, 'registry' | 'env'>;

/** What each field takes, as far as that can be told without looking anything up. Each throws an Error whose message follows the field's name. */
const SHAPES = {
  users: readNamedUsers,
  lists: readMembers,
  states: (value) => words(value, (text) => pattern(text.toUpperCase(), /^[A-Z]{2}$/, 'a two-letter code')),
  countries: (value) => words(value),
  regions: (value) => words(value),
  zips: (value) => readList(value).map(zipOrCity),
  zip_radius: readMiles,
  campaigns: readMembers,
  campaign_radius: readMiles,
  campaign_samestate_only: readBoolean,
  campaign_same_county_only: readBoolean,
  campaign_same_district_only: readBoolean,
  target_groups: readMembers,
  counties: (value) => words(value),
  cds: (value) => words(value, (text) => pattern(text.toUpperCase(), /^[A-Z]{2}_\d{2}$/, 'a district like NY_12')),
  state_house_districts: (value) => words(value, readStateDistrict),
  state_senate_districts: (value) => words(value, readStateDistrict),
  has_donated: readBoolean,
  was_monthly_donor: (value) =>
    words(value, (text) => {
      if (!MONTHLY_DONOR_STATES.includes(text as MonthlyDonorState)) {
        throw new Error(`must hold ${MONTHLY_DONOR_STATES.join(', ')} alone, not ${several([text])}`);
      }
      return text;
    }),
  actions: readMembers,
  tags: readMembers,
  languages: readMembers,
  mailings: (value, context) => unique(readList(value).map((member) => readReference(context, 'mailer', member))),
  raw_sql: readRawSql,
  query_reports: (value) => readList(value, 100).map(readReport),
} satisfies Record<TargetingField, (value: unknown, context: ShapeContext) => unknown>;

/** The fields of a side of the targeting. */
export const TARGETING_FIELDS = Object.keys(SHAPES) as TargetingField[];

/** Those whose values are looked up. */
const LOOKED_UP: Partial<Record<TargetingField, (value: unknown, context: TargetingContext) => Promise<unknown>>> = {
  users: (value, context) => resolveUsers(value, context, context.stored.users),
  lists: async (value, context) => {
    const { ids, unknown } = await resolve('list', value, context, context.stored.lists);
    if (unknown.length) throw new UnknownListError(`There is no list ${several(unknown)}.`);
    return ids;
  },
  zips: readZips,
  campaigns: (value, context) => named('campaign', value, context, context.stored.campaigns),
  target_groups: (value, context) => named('targetgroup', value, context, context.stored.target_groups),
  actions: (value, context) => named('page', value, context, context.stored.actions),
  tags: (value, context) => named('tag', value, context, context.stored.tags),
  languages: (value, context) => named('language', value, context, context.stored.languages),
  mailings: readMailings,
  raw_sql: readUsableRawSql,
  query_reports: readReports,
};

/**
 * What can be told of one field of a side before anything is looked up. A null takes the field away.
 * @throws Error whose message follows the side's name
 */
export function checkShape(field: TargetingField, value: unknown, context: ShapeContext): void {
  if (value === null) return;
  try {
    SHAPES[field](value, context);
  } catch (error) {
    throw isPlain(error) ? new Error(`${field} ${error.message}`) : error;
  }
}

/**
 * One side of the targeting as sent, checked and with references as ids. An empty list or null stands for a field to be taken away.
 * @throws InputError by field, UnknownListError, PermissionError
 */
export async function readTargeting(side: Side, value: unknown, stored: Targeting, context: InputContext): Promise<Targeting> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new InputError({ [side]: `${side} must be an object.` });
  const errors: Record<string, string> = {};
  const read: Record<string, unknown> = {};
  for (const [field, given] of Object.entries(value)) {
    if (!Object.hasOwn(SHAPES, field)) {
      errors[field] = `${side} has no field ${field.slice(0, 100)}.`;
      continue;
    }
    try {
      read[field] = given === null ? [] : await readField(field as TargetingField, given, { ...context, stored });
    } catch (error) {
      if (!isPlain(error)) throw error;
      errors[field] = `${side}: ${field} ${error.message}.`;
    }
  }
  if (Object.keys(errors).length) throw new InputError(errors);
  const targeting = read as Targeting;
  // Who sends a mailing back as it was read, or takes SQL away, needs no right to write SQL.
  if (addedRawSql(targeting.raw_sql, stored.raw_sql).length && !context.can('report:sql')) throw new PermissionError('report:sql');
  // How many a report finds tells what it would say of somebody named in its params.
  if (addedReports(targeting.query_reports, stored.query_reports).length && !context.can('report:read'))
    throw new PermissionError('report:read');
  return targeting;
}

/** What our readers throw says what is wrong with a value; an unknown list, a missing grant, the database go their own way. */
const isPlain = (error: unknown): error is Error => error instanceof Error && error.constructor === Error && !('code' in error);

const unique = <Value>(values: Value[]): Value[] => [...new Set(values)];

const readField = (field: TargetingField, value: unknown, context: TargetingContext): unknown =>
  (LOOKED_UP[field] ?? SHAPES[field])(value, context);

/** Names, ids and URIs, mixed in one list. */
function readMembers(value: unknown): unknown[] {
  const values = readList(value);
  for (const member of values) {
    if (typeof member !== 'string' && typeof member !== 'number') throw new Error('must hold names, ids or URIs');
  }
  return values;
}

/** @param stored ids that stand there already: of what is gone since they stay, as they were shown. It matches nobody; without it a mailing to it alone would be to everybody. */
async function resolve(to: string, value: unknown, context: InputContext, stored: readonly number[] = []): Promise<Resolved> {
  const { ids, unknown } = await resolveReferences(context, context.sql, to, readMembers(value));
  const asShown = new Map<unknown, number>(stored.flatMap((id) => [[id, id] as const, [uriOf(to, id), id] as const]));
  const gone = unknown.flatMap((member) => asShown.get(member) ?? []);
  return { ids: unique([...ids, ...gone]), unknown: unknown.filter((member) => !asShown.has(member)) };
}

async function named(to: string, value: unknown, context: InputContext, stored?: readonly number[]): Promise<number[]> {
  const { ids, unknown } = await resolve(to, value, context, stored);
  if (unknown.length) throw new Error(`refers to nothing: ${several(unknown)}`);
  return ids;
}

/** Mailings have no names. */
async function readMailings(value: unknown, context: InputContext): Promise<number[]> {
  const ids = SHAPES.mailings(value, context);
  const missing = await missingIds(context.sql, context.registry, 'mailer', ids);
  if (missing.length) throw new Error(`refers to nothing: there is no mailing ${several(missing)}`);
  return ids;
}

function words(value: unknown, read = (text: string) => text): string[] {
  return unique(
    readStrings(value).map((text) => {
      if (!text.trim() || text.length > 200) throw new Error('must not hold blank or overlong texts');
      return read(text.trim());
    }),
  );
}

function pattern(text: string, expected: RegExp, what: string): string {
  if (!expected.test(text)) throw new Error(`must hold ${what} each, not ${several([text])}`);
  return text;
}

const readStateDistrict = (text: string): string => pattern(text.toUpperCase(), /^[A-Z]{2}_\d{3}$/, 'a district like NY_012');

/** A city as it is written. */
function zipOrCity(value: unknown): string {
  // By far the most of them: a list may hold every zip there is, and is read twice.
  if (typeof value === 'string' && /^\d{5}$/.test(value)) return value;
  // A zip as a number has lost its leading zeros.
  const text = typeof value === 'number' && Number.isInteger(value) ? String(value).padStart(5, '0') : readString(value).trim();
  return namesCity(text) ? text : eachPlace(text);
}

const eachPlace = (text: string): string => readPlace(text, (forms) => `must hold ${forms} each`);

/** So many places are looked up before others have their turn on the event loop: each may be a city in a spelling of its own. */
const BLOCK = 1000;

/** Of a city in several spellings the first stays. */
async function readZips(value: unknown): Promise<string[]> {
  const places = new Map<unknown, string>();
  for (const [n, given] of SHAPES.zips(value).entries()) {
    if (n % BLOCK === BLOCK - 1) await othersTurn();
    const place = namesCity(given) ? eachPlace(given) : given;
    const meant = place.includes(',') ? zipsOfCity(place) : place;
    if (!places.has(meant)) places.set(meant, place);
  }
  return [...places.values()];
}

function readMiles(value: unknown): number {
  const miles = readNumber(value);
  if (miles <= 0 || miles > MOST_MILES) throw new Error(`must be miles, above zero and at most ${MOST_MILES}`);
  return miles;
}

type Report = NonNullable<Targeting['query_reports']>[number];

/** The reports that do not stand there already with the same params. */
function addedReports(reports: readonly Report[] = [], stored: readonly Report[] = []): Report[] {
  const known = new Set(stored.map(stable));
  return reports.filter((report) => !known.has(stable(report)));
}

/** Those that stand there already stay, also where the report is gone since or asks for more: building says so then. */
async function readReports(value: unknown, { sql, stored }: TargetingContext): Promise<Report[]> {
  const wanted = SHAPES.query_reports(value);
  const added = addedReports(wanted, stored.query_reports);
  const rows = await sql<WrittenStatement & { short_name: string }>(
    'select short_name, sql, dialect from reports_queryreport where short_name = any($1)',
    [added.map(({ short_name }) => short_name)],
  );
  const statements = new Map(rows.map((row) => [row.short_name, row]));
  for (const { short_name, params = {} } of added) {
    const statement = statements.get(short_name);
    if (statement === undefined) throw new Error(`refers to nothing: there is no report ${several([short_name])}`);
    const missing = parametersOf(statement).filter((name) => !Object.hasOwn(params, name));
    if (missing.length) throw new Error(`needs params of ${several([short_name])}: ${missing.join(', ')}`);
  }
  return wanted;
}

function readReport(value: unknown): Report {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('must hold objects with short_name and params');
  const { short_name, params, ...others } = value as Record<string, unknown>;
  const [other] = Object.keys(others);
  if (other !== undefined) throw new Error(`must hold objects with short_name and params alone, not ${several([other])}`);
  if (typeof short_name !== 'string' || short_name.includes('\0')) throw new Error('must hold objects with a short_name');
  const given = params === undefined || params === null ? {} : readDict(params);
  for (const [name, parameter] of Object.entries(given)) {
    const scalar = [parameter].flat().every((member) => member === null || ['string', 'number', 'boolean'].includes(typeof member));
    if (!scalar) throw new Error(`has a param ${several([name])} that is neither a text, a number, true, false nor a list of these`);
  }
  return { short_name, params: given };
}
