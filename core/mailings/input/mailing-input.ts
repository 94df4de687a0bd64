import { InputError } from '../../../domain/errors.ts';
import type { FieldKind } from '../../../domain/mailing-status.ts';
import type { Side } from '../../../domain/targeting/compile.ts';
import type { Targeting } from '../../../domain/targeting/fields.ts';
import { readBody, readInteger } from '../../../domain/values.ts';
import type { InputContext } from './context.ts';
import { INPUT_FIELDS } from './fields.ts';
import { readTargeting } from './targeting.ts';

/** A checked body of POST or PATCH, references looked up. Only what was sent is there. */
export interface MailingInput {
  /** Values by wire name. */
  values: Record<string, unknown>;
  includes?: Targeting;
  excludes?: Targeting;
  /** The guard of a PATCH. */
  targetingVersion: number | null;
}

export interface StoredTargeting {
  includes: Targeting;
  excludes: Targeting;
  reviewers?: number[];
  proof_users?: number[];
}

const SIDES: readonly Side[] = ['includes', 'excludes'];

/** What the mailer API shows and does not take: clients send back whole objects. */
export const READ_ONLY: ReadonlySet<string> = new Set([
  'id',
  'resource_uri',
  'mailing_uri',
  'hidden',
  'status',
  'query_status',
  'query_queued_at',
  'query_started_at',
  'query_completed_at',
  'query_previous_runtime',
  'targeting_version_saved',
  'expected_sent_count',
  'expected_send_count',
  'created_at',
  'updated_at',
  'queued_at',
  'queued_by',
  'started_at',
  'finished_at',
  'recurring_schedule',
  'recurring_source_mailing',
  'copy',
  'rebuild',
  'proofs',
  'queue',
  'progress',
  'status_uri',
  'stop',
  'results',
]);

/** The kind of a writable field, for what may be changed in which status. */
export const kindOf = (name: string): FieldKind => INPUT_FIELDS[name]?.kind ?? 'targeting';

/**
 * Reads a body. A key that is neither a field nor read-only is refused: a mistyped targeting field must never widen an audience.
 * @param stored the targeting there is, for what may be kept without the right to write it; the people named likewise
 * @throws InputError by field, RequestError, UnknownListError, PermissionError
 */
export async function readMailing(body: unknown, stored: StoredTargeting, context: InputContext): Promise<MailingInput> {
  const input: MailingInput = { values: {}, targetingVersion: null };
  const errors: Record<string, string[]> = {};
  const attempt = async (name: string, read: () => unknown): Promise<void> => {
    try {
      await read();
    } catch (error) {
      if (error instanceof InputError && !(name in error.fields)) {
        // The same field of both sides may be wrong.
        for (const [field, messages] of Object.entries(error.fields)) errors[field] = [...(errors[field] ?? []), ...messages];
      } else if (!isAboutValue(error)) throw error;
      else errors[name] = error instanceof InputError ? error.fields[name]! : [`${name} ${error.message}.`];
    }
  };
  for (const [name, value] of Object.entries(readBody(body))) {
    if (READ_ONLY.has(name)) continue;
    if (name === 'targeting_version') {
      await attempt(name, () => {
        input.targetingVersion = value === null ? null : readInteger(value);
      });
    } else if (SIDES.includes(name as Side)) {
      const side = name as Side;
      await attempt(name, async () => {
        input[side] = await readTargeting(side, value, stored[side], context);
      });
    } else if (Object.hasOwn(INPUT_FIELDS, name)) {
      await attempt(name, async () => {
        input.values[name] = await INPUT_FIELDS[name]!.read(value, context, stored[name as 'reviewers' | 'proof_users']);
      });
    } else {
      errors[name.slice(0, 200)] = ['This is not a field of a mailing.'];
    }
  }
  if (Object.keys(errors).length) throw new InputError(errors);
  return input;
}

/** Only the low-level mailing is made without subjects: what is read of such a one may be sent back. @throws InputError */
export function checkSubjects({ values }: MailingInput): void {
  if ((values['subjects'] as string[]).length === 0) throw new InputError({ subjects: 'subjects must hold at least one subject.' });
}

/** Errors of our readers say what is wrong with a value. Others (an unknown list, a missing grant, the database) go their own way. */
function isAboutValue(error: unknown): error is Error {
  return error instanceof InputError || (error instanceof Error && error.constructor === Error && !('code' in error));
}
