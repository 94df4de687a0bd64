import { readBoolean } from '../../../domain/values.ts';
import { run, tables } from '../../../entities/tables.ts';
import { readMailbox } from '../../../mail/address.ts';
import { missingIds, type ReferenceContext, readReference } from '../../references.ts';
import { type InputContext, readLine, several } from './context.ts';

/** Longest line that names a sender. */
export const LONGEST_LINE = 255;

interface Line {
  line: string;
  hidden: boolean;
}

/**
 * A from line given as a URI or id, as an object `{from_line, …}` to find or create, or as the line itself, which is found or created too.
 * @returns its id
 * @throws Error
 */
export async function readFromLine(value: unknown, context: InputContext): Promise<number> {
  const { sql, registry } = context;
  const given = readFromLineShape(value, context);
  if (typeof given === 'number') {
    if ((await missingIds(sql, registry, 'fromline', [given])).length) throw new Error(`refers to nothing: there is no fromline ${given}`);
    return given;
  }
  const made = tables.insertInto('core_fromline').values({ from_line: given.line, hidden: given.hidden });
  await run(
    sql,
    made.onConflict((taken) => taken.column('from_line').doNothing()),
  );
  const [row] = await run(sql, tables.selectFrom('core_fromline').where('from_line', '=', given.line).select('id'));
  return row!.id;
}

/** The id or the line that is meant, before it is looked up. @throws Error */
export function readFromLineShape(value: unknown, context: ReferenceContext): number | Line {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return fromObject(value as Record<string, unknown>, context);
  if (typeof value === 'number' || (typeof value === 'string' && (/^\d+$/.test(value) || value.includes('/rest/')))) {
    return readReference(context, 'fromline', value);
  }
  if (typeof value !== 'string') throw new Error('must be a URI, an object with from_line, or a line like "Name" <name@example.org>');
  return lineOf(value, false);
}

/** As a client has it from the fromline resource, or with the line alone. */
function fromObject(value: Record<string, unknown>, context: ReferenceContext): number | Line {
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
  if (uri !== undefined || id !== undefined) return readReference(context, 'fromline', uri ?? id);
  if (line === undefined) throw new Error('needs a from_line');
  return lineOf(line, hidden === undefined || hidden === null ? false : readBoolean(hidden));
}

function lineOf(value: unknown, hidden: boolean): Line {
  const line = readLine(value).trim();
  if (line.length > LONGEST_LINE) throw new Error(`must have at most ${LONGEST_LINE} characters`);
  readMailbox(line, 'fromline');
  return { line, hidden };
}
