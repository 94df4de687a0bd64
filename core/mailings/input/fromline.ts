import { readBoolean } from '../../../domain/values.ts';
import { readMailbox } from '../../../mail/address.ts';
import { missingIds, readReference } from '../../references.ts';
import { type InputContext, readLine, several } from './context.ts';

/**
 * A from line given as a URI or id, as an object `{from_line, …}` to find or create, or as the line itself, which is found or created too.
 * @returns its id
 * @throws Error
 */
export async function readFromLine(value: unknown, context: InputContext): Promise<number> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return fromObject(value as Record<string, unknown>, context);
  if (typeof value === 'number' || (typeof value === 'string' && (/^\d+$/.test(value) || value.includes('/rest/')))) {
    return byReference(value, context);
  }
  if (typeof value !== 'string') throw new Error('must be a URI, an object with from_line, or a line like "Name" <name@example.org>');
  return findOrCreate(value, false, context);
}

async function byReference(value: unknown, context: InputContext): Promise<number> {
  const id = readReference(context, 'fromline', value);
  if ((await missingIds(context.sql, context.registry, 'fromline', [id])).length)
    throw new Error(`refers to nothing: there is no fromline ${id}`);
  return id;
}

/** As a client has it from the fromline resource, or with the line alone. */
async function fromObject(value: Record<string, unknown>, context: InputContext): Promise<number> {
  const {
    id,
    resource_uri: uri,
    from_line: line,
    hidden,
    is_default: _isDefault,
    created_at: _created,
    updated_at: _updated,
    ...others
  } = value;
  const [other] = Object.keys(others);
  if (other !== undefined) throw new Error(`has no ${several([other])}`);
  if (uri !== undefined || id !== undefined) return byReference(uri ?? id, context);
  if (line === undefined) throw new Error('needs a from_line');
  return findOrCreate(line, hidden === undefined || hidden === null ? false : readBoolean(hidden), context);
}

async function findOrCreate(value: unknown, hidden: boolean, { sql }: InputContext): Promise<number> {
  const line = readLine(value).trim();
  if (line.length > 255) throw new Error('must have at most 255 characters');
  readMailbox(line, 'fromline');
  await sql('insert into core_fromline (from_line, hidden) values ($1, $2) on conflict (from_line) do nothing', [line, hidden]);
  const [row] = await sql<{ id: number }>('select id from core_fromline where from_line = $1', [line]);
  return row!.id;
}
