import { type StubRequest, StubServer } from './crm-stub.ts';

type Row = Record<string, unknown>;
type Clause = [field: string, operator: string, value: unknown];
interface Params {
  select?: string[];
  where?: Clause[];
  values?: Row;
  records?: Row[];
  match?: string[];
  limit?: number;
  chain?: Record<string, [entity: string, action: string, params: Params]>;
}

const UNIQUE: Record<string, string> = { Contact: 'external_identifier', Contribution: 'invoice_id' };

/** The part of CiviCRM's APIv4 we speak, in memory: entities by name, unique columns refused as it refuses them. */
export class StubCiviCrm extends StubServer {
  tables = new Map<string, Row[]>();
  #nextId = 1;

  protected override read(text: string): Record<string, unknown> {
    return JSON.parse(new URLSearchParams(text).get('params') ?? '{}');
  }

  table(entity: string): Row[] {
    if (!this.tables.has(entity)) this.tables.set(entity, []);
    return this.tables.get(entity)!;
  }

  override reset(): void {
    super.reset();
    this.tables.clear();
  }

  protected override handle({ path, body }: StubRequest) {
    const [, root, , , entity = '', action = ''] = path.split('/');
    if (root !== 'civicrm') return { status: 404, body: { error_message: 'no such page' } };
    try {
      return { status: 200, body: { values: this.#act(entity, action, body as Params) } };
    } catch (error) {
      return { status: 500, body: { error_code: 0, error_message: (error as Error).message } };
    }
  }

  #act(entity: string, action: string, params: Params): Row[] {
    const rows = this.table(entity);
    const found = rows.filter((row) => (params.where ?? []).every((clause) => this.#matches(row, clause)));
    if (action === 'get') return found.slice(0, params.limit || undefined);
    if (action === 'create') return [this.#create(entity, params)];
    if (action === 'update') {
      return found.map((row) => {
        Object.assign(row, params.values);
        this.#follow(row, params);
        return row;
      });
    }
    if (action === 'delete') {
      this.tables.set(
        entity,
        rows.filter((row) => !found.includes(row)),
      );
      return found;
    }
    if (action !== 'save') throw new Error(`Api ${entity} ${action} version 4 does not exist.`);
    return (params.records ?? []).map((record) => {
      const same = rows.find((row) => params.match?.every((field) => row[field] === record[field]));
      return same ? Object.assign(same, record) : this.#create(entity, { values: record });
    });
  }

  #create(entity: string, { values = {}, chain = {} }: Params): Row {
    const unique = UNIQUE[entity];
    const taken = unique && values[unique] && this.table(entity).some((row) => row[unique] === values[unique]);
    if (taken) throw new Error('DB Error: already exists');
    const row: Row = { id: this.#nextId++, is_deleted: false, ...values };
    this.table(entity).push(row);
    this.#follow(row, { chain });
    return row;
  }

  #follow(row: Row, { chain = {} }: Params): void {
    for (const [entity, action, params] of Object.values(chain)) {
      this.#act(entity, action, JSON.parse(JSON.stringify(params), (_name, value) => resolved(value, row)) as Params);
    }
  }

  #matches(row: Row, [field, , value]: Clause): boolean {
    const [own = '', joined] = field.split('.');
    const held = joined ? this.table('Contact').find(({ id }) => id === row[own])?.[joined] : row[own];
    return typeof held === 'string' && typeof value === 'string' ? held.toLowerCase() === value.toLowerCase() : held === value;
  }
}

/** What a chained call is given by the one before it: a text that is `$` and a column of its row, wherever it stands. */
const resolved = (value: unknown, row: Row): unknown =>
  typeof value === 'string' && value.startsWith('$') && Object.hasOwn(row, value.slice(1)) ? row[value.slice(1)] : value;
