import type { EntityManager } from '@mikro-orm/postgresql';
import type { FastifyRequest } from 'fastify';
import { once, type Repeatable } from '../../core/once.ts';
import { noteGoing } from '../../core/targeting/gone-excludes.ts';
import type { DatabaseError } from '../../db/driver.ts';
import { preparedOn } from '../../db/prepared.ts';
import { type Sql, sqlOn } from '../../db/sql.ts';
import { AGAIN, againAfterDeadlock } from '../../db/transaction.ts';
import { markUncertain } from '../../db/uncertain-commit.ts';
import { ConflictError, InputError, NotFoundError, StillNamedError } from '../../domain/errors.ts';
import { anyTables, run } from '../../entities/tables.ts';
import type { ApiContext } from '../deps.ts';
import { isDatabaseAway } from '../errors.ts';
import { inTransaction } from '../in-transaction.ts';
import type { Change, UniqueKey, Values } from './declare.ts';
import { checkReferences, type Input, readInput } from './input.ts';
import { uriByName } from './paths.ts';
import type { Resource } from './registry.ts';
import { deleteRow, freeId, holdRow, insertRow, isOneRow, isThere, touchRow, updateRow, writeReferences } from './row.ts';

/** Create, update and delete of one resource. Each is one transaction, but for `deletePart`: bad input leaves nothing half-done. */
export class Writer {
  readonly resource: Resource;
  #context: ApiContext;

  constructor(resource: Resource, context: ApiContext) {
    this.resource = resource;
    this.#context = context;
  }

  /**
   * @param body of the object, where the request's own is not it: a form of the console @param press of its button, or its request, which makes one, however often it comes
   * @returns the new id
   * @throws InputError, ConflictError
   */
  async create(request: FastifyRequest, body: unknown = request.body, press?: Repeatable): Promise<number> {
    const plain = (sql: Sql, values: Values) => insertRow(sql, this.resource, { ...values, ...this.resource.declaration.constants });
    const whole = (change: Change) => this.#insert(change);
    return this.#write(request, body, true, press ? { whole } : { plain, whole }, { press });
  }

  /**
   * @param given.body as above
   * @param given.first looks, while nobody else can change the object, whether it is still to be changed; throws where it is not
   * @param given.press of its button, which changes it once, however often it is pressed
   * @throws NotFoundError, InputError, ConflictError, what `first` throws
   */
  async update(
    id: number,
    request: FastifyRequest,
    given: { body?: unknown; first?: () => Promise<void>; press?: Repeatable } = {},
  ): Promise<void> {
    const { body = request.body, first, press } = given;
    const plain = async (sql: Sql, values: Values) => {
      if (!(await updateRow(sql, this.resource, id, values))) throw new NotFoundError();
      return id;
    };
    const whole = async (change: Change) => {
      if (!(await this.#hold(change, id))) throw new NotFoundError();
      await first?.();
      return this.#change(change);
    };
    await this.#write(request, body, false, first || press ? { whole } : { plain, whole }, { changed: id, press });
  }

  /**
   * Creates the object under an id of the caller's choice, or replaces the one that has it.
   * @returns whether it was created
   * @throws InputError, ConflictError
   */
  async place(id: number, request: FastifyRequest): Promise<boolean> {
    let created = false;
    const whole = async (change: Change) => {
      created = !(await this.#hold(change, id));
      if (!created) return this.#change(change);
      change.values['id'] = id;
      return this.#insert(change);
    };
    await this.#write(request, request.body, true, { whole });
    return created;
  }

  async #insert(change: Change): Promise<number> {
    const { hooks = {}, constants = {} } = this.resource.declaration;
    Object.assign(change.values, constants);
    if (this.resource.methods.has('place')) change.values['id'] ??= await freeId(change.sql, this.resource);
    await hooks.beforeCreate?.(change);
    if (hooks.create) await hooks.create(change);
    else {
      change.id = await insertRow(change.sql, this.resource, change.values);
      await writeReferences(change.sql, this.resource, change.id, change.values);
    }
    await hooks.afterCreate?.(change);
    return change.id;
  }

  /** @returns false when there is no such object */
  async #hold(change: Change, id: number): Promise<boolean> {
    change.id = id;
    await this.resource.declaration.hooks?.beforeHold?.(change);
    return holdRow(change.sql, this.resource, id);
  }

  async #change(change: Change): Promise<number> {
    const { hooks = {} } = this.resource.declaration;
    const { id } = change;
    await hooks.beforeUpdate?.(change);
    await updateRow(change.sql, this.resource, id, change.values);
    if (await writeReferences(change.sql, this.resource, id, change.values)) await touchRow(change.sql, this.resource, id);
    await hooks.afterUpdate?.(change);
    return id;
  }

  /** @throws NotFoundError */
  async delete(id: number, request: FastifyRequest): Promise<void> {
    const { hooks = {} } = this.resource.declaration;
    const about = { context: this.#context, request, values: {}, extra: {}, id };
    let gone = 0;
    try {
      for (let last = await this.#deletePart(about, 0); last !== null; last = await this.#deletePart(about, last)) gone = last;
      const whole = async (em: EntityManager, sql: Sql) => {
        const change: Change = { em, sql, ...about };
        if (!(await this.#hold(change, id))) throw new NotFoundError();
        await hooks.beforeDelete?.(change);
        if (hooks.delete) await hooks.delete(change);
        else await deleteRow(sql, this.resource, id);
        await hooks.afterDelete?.(change);
      };
      // What refers to it refers to it still when it is tried again.
      await inTransaction(this.#context, whole, AGAIN);
    } catch (error) {
      // What has gone by then stays gone.
      if (gone && isDatabaseAway(error)) markUncertain(error as Error);
      throw this.#referredTo(error as Partial<DatabaseError>) ?? error;
    }
    await hooks.committed?.(this.#context, { id, made: false, gone: true });
  }

  /** A part of what goes with it, in a transaction of its own; what is left when one is broken off goes with the next DELETE. @returns as the hook does */
  async #deletePart(about: Omit<Change, 'em' | 'sql'>, after: number): Promise<number | null> {
    const { deletePart } = this.resource.declaration.hooks ?? {};
    if (!deletePart) return null;
    return inTransaction(this.#context, async (em, sql) => {
      if (!(await isThere(sql, this.resource, about.id))) throw new NotFoundError();
      const last = await deletePart({ em, sql, ...about }, after);
      if (after === 0 && last !== null) await noteGoing(sql, this.resource.table, about.id);
      return last;
    });
  }

  /**
   * @param work `whole`: inside a transaction, with the hooks. `plain`: one statement that does all there is to do when the
   *   hooks have nothing to do: a statement is a transaction by itself, and beginning and committing one cost as much again. Both give the id
   * @param about.changed the id of what is there already
   * @param about.press by which it is done once
   */
  async #write(
    request: FastifyRequest,
    body: unknown,
    complete: boolean,
    { plain, whole }: { plain?: (sql: Sql, values: Values) => Promise<number>; whole: (change: Change) => Promise<number> },
    { changed, press }: { changed?: number; press?: Repeatable | undefined } = {},
  ): Promise<number> {
    const input = readInput(this.#context, this.resource, body, complete);
    let values = input.values;
    try {
      let id: number;
      if (plain && this.#isPlain(input)) {
        const sql = preparedOn(this.#context.pool);
        await checkReferences(sql, this.#context.registry, input);
        id = await againAfterDeadlock(() => plain(sql, values));
      } else {
        id = await inTransaction(this.#context, (em, sql) =>
          // What it refers to may be gone when it comes again.
          once(sql, press, async () => {
            await checkReferences(sql, this.#context.registry, input);
            values = { ...input.values };
            return whole({ em, sql, context: this.#context, request, values, extra: { ...input.extra }, id: 0 });
          }),
        );
      }
      await this.resource.declaration.hooks?.committed?.(this.#context, { id, made: complete, gone: false });
      return id;
    } catch (error) {
      throw (await this.#conflict(error, values, changed)) ?? error;
    }
  }

  #isPlain(input: Input): boolean {
    const { hooks, plain = () => false } = this.resource.declaration;
    const acting = Object.keys(hooks ?? {}).some((name) => /Create|Update|Hold|^create/.test(name));
    return (!acting || plain(input)) && isOneRow(this.resource, input.values) && !this.resource.methods.has('place');
  }

  /** What a violated constraint means to the caller, or null when it means nothing to this resource. */
  async #conflict(error: unknown, values: Values, changed: number | undefined): Promise<Error | null> {
    const { code, constraint, column, detail = '' } = error as Record<'code' | 'constraint' | 'column' | 'detail', string | undefined>;
    if (code === '23503') return this.#vanished(constraint);
    // A trigger names the column, and says why.
    const refused = code === '23514' && column ? this.resource.fields.find((field) => field.column === column) : undefined;
    if (refused) return new InputError({ [refused.name]: detail });
    const key = code === '23505' ? this.resource.uniqueKeys.find((each) => each.constraint === constraint) : undefined;
    if (!key) return null;
    const message = this.resource.declaration.taken?.[key.field];
    if (message) return new InputError({ [key.field]: message });
    const others = key.properties.filter((property) => !(property in values));
    const whole = { ...(await this.#otherwise(others, changed)), ...values };
    const taken = key.properties.map((property) => whole[property]);
    const holder = await this.#holder(key, taken);
    // Of several the value of the field that is named: the others may be ids nobody has seen.
    const property = this.resource.fields.find(({ name }) => name === key.field)?.property ?? key.properties[0]!;
    return new ConflictError(key.field, String(whole[property]), holder);
  }

  /** What a request leaves out of a key: as the object has it, or, of a new one, by default. */
  async #otherwise(properties: string[], changed: number | undefined): Promise<Values> {
    const { table, columns, fields } = this.resource;
    if (properties.length === 0) return {};
    if (changed === undefined)
      return Object.fromEntries(properties.map((each) => [each, fields.find(({ property }) => property === each)?.default]));
    const own = anyTables.selectFrom(`${table} as t`).where('t.id', '=', changed);
    const [row] = await run(sqlOn(this.#context.pool), own.select(properties.map((each) => `t.${columns.get(each)!.name} as ${each}`)));
    return row ?? {};
  }

  async #holder({ where, properties }: UniqueKey, values: unknown[]): Promise<string | null> {
    const { name, table, columns, declaration } = this.resource;
    const named = columns.get(declaration.namedBy ?? 'id')!.name;
    const holding = anyTables
      .selectFrom(`${table} as t`)
      .where(({ eb, and }) => where?.(values) ?? and(properties.map((each, n) => eb(`t.${columns.get(each)!.name}`, '=', values[n]))))
      .select(['t.id', `t.${named} as named`]);
    const [row] = await run(sqlOn(this.#context.pool), holding);
    return row ? uriByName(name, row.id as number, String(row.named)) : null;
  }

  /** What is deleted is needed by something that may not go with it. */
  #referredTo(error: Partial<DatabaseError>): Error | null {
    if (error.code !== '23503') return null;
    const referrer = this.#context.registry.all().find(({ table, declaration }) => table === error.table && !declaration.where);
    return new StillNamedError(referrer?.name ?? 'record');
  }

  /** Something referred to was deleted between the check and the write. */
  #vanished(constraint: string | undefined): Error | null {
    const field = this.resource.fields.find(({ column }) => column && constraint === `${this.resource.table}_${column}_foreign`);
    return field ? new InputError({ [field.name]: `${field.name} refers to nothing.` }) : null;
  }
}
