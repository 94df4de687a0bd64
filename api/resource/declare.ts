import type { EntityManager } from '@mikro-orm/postgresql';
import type { FastifyRequest } from 'fastify';
import type { Expression } from 'kysely';
import type { Env } from '../../config/env.ts';
import type { Credentials } from '../../core/accounts/credentials.ts';
import type { Referents } from '../../core/references.ts';
import type { Pool } from '../../db/driver.ts';
import type { Sql } from '../../db/sql.ts';
import type { WorkflowGateway } from '../workflow-gateway.ts';
import type { Condition, FilterType, Operator } from './operators.ts';

export type FieldKind =
  | 'integer'
  | 'number'
  | 'decimal'
  | 'string'
  | 'boolean'
  | 'datetime'
  | 'date'
  | 'dict'
  | 'list'
  | 'reference'
  | 'references';

/** What a declaration says of a field that the entity does not: everything left out is read from the entity's metadata. */
export interface FieldOverride {
  kind?: FieldKind;
  help?: string;
  readonly?: boolean;
  /** Taken on input, never shown. */
  writeonly?: boolean;
  /** Grant beside that of the resource without which a text is shown as if there were none. */
  onlyWith?: string;
  required?: boolean;
  nullable?: boolean;
  default?: unknown;
  /** Name of the resource the field refers to, where the entity holds a bare id. */
  to?: string;
  /** A relation shown and taken as a bare id, under its column's name: `user_id`. */
  bare?: boolean;
  /** References to it are taken as URIs only, never as bare ids. */
  uriOnly?: boolean;
  /** Surrounding white space is cut off. */
  trim?: boolean;
  /** Reads a value on input in place of the kind's own reader; what it throws follows the field's name. */
  read?: (value: unknown) => unknown;
  /** JSON schema of what is taken, where it is more than what is shown. */
  taken?: object;
  /** What a member of a list stands for, where it may be given as more than what is kept. */
  member?: (given: unknown) => unknown;
  /** The words it may be, where they are not all that its column holds. */
  words?: readonly string[];
  /** Words that mean one of the field's own, on input and in filters. */
  same?: Record<string, string>;
  /** Other names it is taken under, which win over its own: whoever sends one back with a whole object means that one. */
  alsoNamed?: string[];
  /** Characters of a text, members of a list or an object, where that is not what the kit takes. */
  maxLength?: number;
  /** How a text is kept, and looked for, that has passed the check. */
  kept?: (text: string) => string;
  /** @returns what is wrong with a value of the right type, or nothing */
  check?: (value: never) => string | undefined;
  /** SQL over the row alias `t` in place of the column. */
  sql?: string;
  /** The value shown, from the row as selected (wire names). Makes a field without a column readonly unless `hooks` write it. */
  show?: (row: Row, context: DeclarationContext) => unknown;
  /** What collections filter by in its place: a column of the rows `where` makes conditions on, and how its values are read. */
  filteredBy?: {
    column?: Expression<unknown>;
    type?: FilterType;
    where?: (condition: Condition, alias: Expression<unknown>) => Condition;
    read?: (text: string) => unknown;
  };
  /** A null sent is as if it were not: clients send what they have nothing to say about. */
  nullIsAbsent?: boolean;
  /** JSON schema of the value shown, where the kind does not say enough. */
  schema?: object;
}

export type Row = Record<string, unknown>;

/** Values by property of the entity, as they go to the ORM. */
export type Values = Record<string, unknown>;

/** What declarations may use of what the API is built on. */
export interface DeclarationContext {
  env: Env;
  pool: Pool;
  workflows: WorkflowGateway;
  credentials: Credentials;
  registry: Referents & {
    /** Another resource, compiled; see inside.ts. */
    get(name: string): unknown;
  };
}

/** A create, update or delete under way, inside its transaction. */
export interface Change {
  em: EntityManager;
  /** Statements in the same transaction. */
  sql: Sql;
  context: DeclarationContext;
  request: FastifyRequest;
  /** Checked input by entity property; before-hooks may add to it and change it. Empty on delete. */
  values: Values;
  /** Checked input of fields that have no column, by wire name. */
  extra: Record<string, unknown>;
  /** Of the object; 0 before it is created. */
  id: number;
}

type Hook = (change: Change) => Promise<void> | void;

export interface Hooks {
  beforeCreate?: Hook;
  /** In place of the ORM's insert; sets `change.id`. */
  create?: Hook;
  afterCreate?: Hook;
  beforeUpdate?: Hook;
  afterUpdate?: Hook;
  /**
   * Before the transaction of a delete, in ones of its own: takes away a part of what goes along, so that nobody waits for all of it.
   * @param after what the part before returned; 0 of the first
   * @returns null when the rest goes with the object
   */
  deletePart?: (change: Change, after: number) => Promise<number | null>;
  /** Before the row of an object that is to be changed or deleted is held: holds what others hold before it, lest the two wait for each other. */
  beforeHold?: Hook;
  beforeDelete?: Hook;
  /** In place of the delete of the row. */
  delete?: Hook;
  afterDelete?: Hook;
  /** After a change of whatever kind has been committed, and before it is answered. */
  committed?: (context: DeclarationContext, what: { id: number; made: boolean; gone: boolean }) => Promise<void>;
}

/** `place` is POST to the path of an object: it creates the object under that id or replaces the one that has it. Only where asked for. */
export type Method = 'list' | 'get' | 'create' | 'update' | 'delete' | 'place';

/** A unique key: the field it belongs to and how its holder is found. */
export interface UniqueKey {
  constraint: string;
  field: string;
  properties: string[];
  /** Condition over `t` on the values of `properties`, in order; default that their columns equal them. */
  where?: (values: unknown[]) => Condition;
}

/**
 * One resource: collection, detail, create, PUT and PATCH, DELETE, schema, filters, paging and its part of the OpenAPI document.
 * Field names are wire names (snake_case); the entity's columns, types, nullability, defaults and uniqueness are read from its metadata.
 */
export interface ResourceDeclaration {
  /** As in the path: `/rest/v1/<name>/`. */
  name: string;
  /** One sentence for the API page. */
  about: string;
  /** Heading it stands under on the API page. */
  area: string;
  // biome-ignore lint/suspicious/noExplicitAny: an entity schema of whatever entity
  entity: any;
  /** Properties of the entity that stay inside. */
  inside?: string[];
  fields?: Record<string, FieldOverride>;
  /** SQL condition over `t` that every object of this resource meets, such as `t.type = 'signup'`. */
  where?: string;
  /** Values every object created here gets. */
  constants?: Values;
  /** Name under which a row's URI is shown, where that is not the resource's own: an action's of whatever type. */
  shownAs?: (row: Row) => string;
  /** Names of resources whose URIs name the same objects: `signuppage` for `page`. */
  alsoKnownAs?: string[];
  /** Operators by field; `joins`: all of them and `__` into the resource referred to, by that resource's own filters. */
  filtering?: Record<string, Operator[] | 'all' | 'joins'>;
  /** Names of filters that differ from the field's: `language` for `lang`. */
  filterNames?: Record<string, string>;
  /** Columns its rows have alike with those another filter leads to, by that filter: `page` of a call's action. What is asked of them needs no look at the others. */
  alike?: Record<string, string[]>;
  /** Filters by text that go without regard to case through an index on lower(column). */
  caseless?: string[];
  /** Fields a collection may be ordered by. */
  ordering?: string[];
  /** Its rows are counted as they come (entities/tally.ts), in all and by value of these columns. */
  tally?: string[];
  /** What of those counts `where` stands for: the ids of these rows in one of the columns. */
  whereTallied?: { column: string; rows: string };
  /** Offered methods; default all but `place`. */
  methods?: Method[];
  /** Fields that routes written by hand take, for the schema document; default all that the kit would. */
  takes?: string[];
  /** Field by whose value the objects are found in paths, beside their ids. */
  namedBy?: string;
  /** Resource whose grants it needs; default its own name. */
  permission?: string;
  /** Unique keys beyond those of single columns. */
  uniqueKeys?: UniqueKey[];
  /** A taken key that is a 400 under the field instead of a 409: field → message. */
  taken?: Record<string, string>;
  hooks?: Hooks;
  /** Of objects a run works on: the run that is asked before an object is shown that is not over. */
  job?: { run: (id: number) => string; over: (row: Row) => boolean };
  /** Whether the hooks have nothing to do for this input, so that one statement writes it. Without hooks that is always so. */
  plain?: (input: Pick<Change, 'values' | 'extra'>) => boolean;
}

/** A declaration, with its types checked where it stands. */
export function resource(declaration: ResourceDeclaration): ResourceDeclaration {
  return declaration;
}
