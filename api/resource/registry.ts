import type { EntityProperty } from '@mikro-orm/core';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Referent, Referents } from '../../core/references.ts';
import type { Method, ResourceDeclaration, UniqueKey } from './declare.ts';
import { compileFields, type Field } from './fields.ts';
import { withNullFilters } from './null-filters.ts';

/** A declaration compiled once against the entity's metadata. */
export interface Resource {
  name: string;
  declaration: ResourceDeclaration;
  table: string;
  fields: Field[];
  /** By property of the entity: what a row of the table itself holds, as against relations to many. */
  columns: ReadonlyMap<string, Column>;
  /** Columns with an index on (column, id): equal values come out of it in the order of ids. */
  orderedColumns: ReadonlySet<string>;
  methods: ReadonlySet<Method>;
  /** Resource part of the grants it needs. */
  permission: string;
  uniqueKeys: UniqueKey[];
}

export interface Column {
  name: string;
  json: boolean;
  /** A moment: stored to the microsecond, shown to the second. */
  moment: boolean;
  /** Written anew with every change of the row. */
  stamped: boolean;
}

const ALL_METHODS: Method[] = ['list', 'get', 'create', 'update', 'delete'];

/** All resources by name, and which table a reference to each leads to. */
export class Registry implements Referents {
  #referents = new Map<string, Referent>();
  #resources = new Map<string, Resource>();

  /**
   * @param declarations compiled together, since they refer to each other
   * @param elsewhere resources with routes of their own: name → table
   */
  constructor(declarations: ResourceDeclaration[], orm: MikroORM, elsewhere: Record<string, string> = {}) {
    const tables = new Map<string, string>();
    const tableOf = (declaration: ResourceDeclaration) => orm.getMetadata(declaration.entity).tableName as string;
    for (const declaration of declarations) {
      const { name, where, alsoKnownAs = [] } = declaration;
      const table = tableOf(declaration);
      if (!where) tables.set(table, name);
      this.#referents.set(name, { table, names: new Set([name, ...alsoKnownAs]), where });
    }
    for (const [name, table] of Object.entries(elsewhere)) {
      if (!tables.has(table)) tables.set(table, name);
      this.#referents.set(name, { table, names: new Set(Object.keys(elsewhere).filter((other) => elsewhere[other] === table)) });
    }
    for (const declaration of declarations) {
      const fields = compileFields(declaration, orm, (table) => tables.get(table) ?? null);
      this.#resources.set(declaration.name, {
        name: declaration.name,
        declaration: { ...declaration, filtering: withNullFilters(declaration, fields) },
        table: tableOf(declaration),
        fields,
        columns: columnsOf(orm.getMetadata(declaration.entity)),
        orderedColumns: orderedColumns(orm.getMetadata(declaration.entity)),
        methods: new Set(declaration.methods ?? ALL_METHODS),
        permission: declaration.permission ?? declaration.name,
        uniqueKeys: [...(declaration.uniqueKeys ?? []), ...columnKeys(tableOf(declaration), fields)],
      });
    }
  }

  all(): Resource[] {
    return [...this.#resources.values()];
  }

  /** @throws Error when there is none: a mistake in a declaration */
  get(name: string): Resource {
    const found = this.#resources.get(name);
    if (!found) throw new Error(`No resource is named ${name}`);
    return found;
  }

  has(name: string): boolean {
    return this.#resources.has(name);
  }

  /** Where references to this resource lead. @throws Error when nobody declared it */
  referent(name: string): Referent {
    const found = this.#referents.get(name);
    if (!found) throw new Error(`Nothing is known under the resource name ${name}`);
    return found;
  }
}

function columnsOf({ props }: { props: EntityProperty[] }): Map<string, Column> {
  const own = props.filter(
    ({ kind, fieldNames, persist }) => kind !== 'm:n' && kind !== '1:m' && fieldNames?.length === 1 && persist !== false,
  );
  return new Map(
    own.map(({ name, fieldNames, columnTypes, onUpdate }) => [
      name,
      {
        name: fieldNames[0]!,
        json: columnTypes[0] === 'jsonb',
        moment: columnTypes[0]!.startsWith('timestamptz'),
        stamped: onUpdate !== undefined,
      },
    ]),
  );
}

function orderedColumns(metadata: { indexes: { properties?: unknown }[]; properties: Record<string, EntityProperty> }): Set<string> {
  const pairs = metadata.indexes.map(({ properties }) => [properties ?? []].flat() as string[]);
  const columns = pairs.flatMap(([first, second, third]) => (second === 'id' && !third ? metadata.properties[first!]!.fieldNames : []));
  return new Set(['id', ...columns]);
}

function columnKeys(table: string, fields: Field[]): UniqueKey[] {
  return fields
    .filter(({ unique, property, column }) => unique && property !== 'id' && column)
    .map(({ name, column, property }) => ({
      constraint: `${table}_${column}_unique`,
      field: name,
      properties: [property!],
    }));
}
