import type { EntityProperty, MikroORM } from '@mikro-orm/core';
import { timestampSql } from '../../db/timestamp-sql.ts';
import type { DeclarationContext, FieldKind, FieldOverride, ResourceDeclaration, Row } from './declare.ts';
import { wordsOf } from './field-words.ts';

/** One field of a resource, as compiled from the entity's metadata and the declaration. */
export interface Field {
  /** On the wire. */
  name: string;
  /** Of the entity; null where there is none behind it. */
  property: string | null;
  column: string | null;
  kind: FieldKind;
  /** What the column holds, by which collections filter, whatever is shown of it. */
  stored: { kind: FieldKind; to: string | null };
  nullable: boolean;
  unique: boolean;
  /** Text that may be empty. */
  blank: boolean;
  readonly: boolean;
  writeonly: boolean;
  required: boolean;
  default: unknown;
  words: readonly string[] | null;
  /** Characters of a text, members of a list or an object; null for what has neither. */
  maxLength: number | null;
  to: string | null;
  /** The table between, where there are many on both sides. */
  pivot: { table: string; own: string; other: string } | null;
  /** SQL over `t`; null when `show` alone makes the value. */
  select: string | null;
  show: ((row: Row, context: DeclarationContext) => unknown) | null;
  help: string;
  override: FieldOverride;
}

/** The word of the field itself that a text means. */
export function ownWord({ override: { same = {} } }: Field, text: string): string {
  return Object.hasOwn(same, text) ? same[text]! : text;
}

const KINDS: Record<string, FieldKind> = {
  integer: 'integer',
  smallint: 'integer',
  bigint: 'integer',
  BigIntType: 'integer',
  double: 'number',
  DoubleType: 'number',
  float: 'number',
  DecimalType: 'decimal',
  text: 'string',
  string: 'string',
  boolean: 'boolean',
  Date: 'datetime',
  datetime: 'datetime',
  DateType: 'date',
};

/** Longest text in an indexed column: PostgreSQL refuses index entries past a third of a page. */
const INDEXED_TEXT = 255;
/** Longest text of any other column, where its declaration says nothing: a page of a collection has a hundred of each. */
const FREE_TEXT = 100_000;
/** Most members of a list or an object. */
const MEMBERS = 1000;

const HELP: Record<FieldKind, string> = {
  integer: 'A whole number.',
  number: 'A number.',
  decimal: 'A decimal number as text, such as 10.00.',
  string: 'Unicode text.',
  boolean: 'true or false.',
  datetime: 'A timestamp in UTC, YYYY-MM-DDTHH:MM:SS.',
  date: 'A day, YYYY-MM-DD.',
  dict: 'An object.',
  list: 'A list.',
  reference: 'URI of one related object.',
  references: 'URIs of related objects.',
};

/** The fields of a declaration, in the order of the entity, those without a column last. */
export function compileFields(declaration: ResourceDeclaration, orm: MikroORM, resourceOf: (table: string) => string | null): Field[] {
  const metadata = orm.getMetadata(declaration.entity);
  const inside = new Set(declaration.inside ?? []);
  const indexed = indexedProperties(metadata);
  const keyed = new Set(declaration.uniqueKeys?.map(({ field }) => field));
  const overrides = { ...declaration.fields };
  const fields: Field[] = [];
  for (const property of metadata.props as EntityProperty[]) {
    if (property.hidden || inside.has(property.name) || property.name.endsWith('__inverse')) continue;
    const relation = property.kind === 'm:1' || property.kind === '1:1';
    const many = property.kind === 'm:n';
    const column = property.fieldNames[0]!;
    const wire = many ? property.name : column;
    const bare = wire.replace(/_id$/, '');
    const ofWire = relation && !overrides[wire]?.bare ? undefined : overrides[wire];
    const override = overrides[bare] ?? ofWire ?? {};
    const name = (relation || override.to) && !override.bare ? bare : wire;
    delete overrides[name];
    const to = override.to ?? (relation || many ? resourceOf(property.targetMeta!.tableName) : null);
    const pivot = many ? { table: property.pivotTable, own: property.joinColumns[0]!, other: property.inverseJoinColumns[0]! } : null;
    const known = kindOf(property, relation || to !== null, many) ?? override.kind;
    if (!known) throw new Error(`The kit does not know the type ${property.type} of ${property.name}`);
    const stored = { kind: known, to };
    const kind = override.kind ?? stored.kind;
    const stamped = property.onUpdate !== undefined || property.name === 'createdAt';
    fields.push({
      name,
      property: property.name,
      column,
      kind,
      stored,
      nullable: override.nullable ?? property.nullable === true,
      unique: property.unique === true || property.primary === true || (kind === 'string' && keyed.has(name)),
      blank: property.default === '',
      readonly: override.readonly ?? (property.primary === true || stamped),
      writeonly: override.writeonly ?? false,
      required: override.required ?? isRequired(property, many),
      default: override.default ?? (kind === 'references' ? [] : (property.default ?? null)),
      words: override.words ?? (property.items as string[] | undefined) ?? null,
      maxLength: override.maxLength ?? mostOf(kind, indexed.has(property.name)),
      to,
      pivot,
      select: override.sql ?? (pivot ? pivotSelect(pivot) : columnSelect(kind, `t."${column}"`)),
      show: override.show ?? (to && !override.bare ? showReference(to, name, many) : null),
      help: override.help ?? wordsOf(name, declaration.name) ?? HELP[kind],
      override,
    });
  }
  for (const [name, override] of Object.entries(overrides)) fields.push(withoutColumn(name, override));
  return fields;
}

function withoutColumn(name: string, override: FieldOverride): Field {
  const kind = override.kind ?? 'string';
  return {
    name,
    property: null,
    column: null,
    kind,
    stored: { kind, to: override.to ?? null },
    nullable: override.nullable ?? false,
    unique: false,
    blank: true,
    readonly: override.readonly ?? true,
    writeonly: override.writeonly ?? false,
    required: override.required ?? false,
    default: override.default ?? null,
    words: null,
    maxLength: override.maxLength ?? mostOf(kind, false),
    to: override.to ?? null,
    pivot: null,
    select: override.sql ?? null,
    show: override.show ?? null,
    help: override.help ?? wordsOf(name) ?? HELP[kind],
    override,
  };
}

function mostOf(kind: FieldKind, indexed: boolean): number | null {
  if (kind === 'string') return indexed ? INDEXED_TEXT : FREE_TEXT;
  return kind === 'list' || kind === 'dict' ? MEMBERS : null;
}

function kindOf(property: EntityProperty, reference: boolean, many: boolean): FieldKind | undefined {
  if (many) return 'references';
  if (reference) return 'reference';
  if (property.columnTypes[0] === 'jsonb') return property.defaultRaw?.includes('[') ? 'list' : 'dict';
  return property.items ? 'string' : KINDS[property.type];
}

function isRequired(property: EntityProperty, many: boolean): boolean {
  return !many && !property.nullable && !property.primary && property.default === undefined && property.defaultRaw === undefined;
}

function indexedProperties(metadata: {
  indexes: { properties?: unknown; expression?: unknown }[];
  uniques: { properties?: unknown }[];
  props: EntityProperty[];
}): Set<string> {
  const named = [...metadata.indexes, ...metadata.uniques].flatMap(({ properties }) => [properties ?? []].flat() as string[]);
  const alone = metadata.props.filter(({ unique, index }) => unique || index).map(({ name }) => name);
  return new Set([...named, ...alone]);
}

function columnSelect(kind: FieldKind, column: string): string {
  if (kind === 'datetime') return timestampSql(column);
  if (kind === 'date') return `to_char(${column}, 'YYYY-MM-DD')`;
  if (kind === 'decimal') return `${column}::text`;
  return column;
}

/** In one JSON text: the driver reads an array sign by sign, and there may be thousands. */
function pivotSelect({ table, own, other }: { table: string; own: string; other: string }): string {
  return `(select coalesce(json_agg(m."${other}" order by m."${other}"), '[]') from "${table}" m where m."${own}" = t.id)`;
}

function showReference(to: string, name: string, many: boolean): (row: Row) => unknown {
  const uri = (id: unknown) => `/rest/v1/${to}/${id}/`;
  if (many) return (row) => (row[name] as number[]).map(uri);
  return (row) => (row[name] === null ? null : uri(row[name]));
}
