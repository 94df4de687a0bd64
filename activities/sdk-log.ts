import { withoutAddresses } from '../domain/without-addresses.ts';

/**
 * What the SDK says beside a line of its log, as this log writes it: without the token of a task, which is of no use to anybody who reads it and longer than the rest of the
 * line, and with the words of an error. One that comes out of a workflow is none of this process's errors, and would be written as `{}`.
 */
export function sdkFields({ taskToken: _, ...fields }: Record<string, unknown>): Record<string, unknown> {
  const message = (fields['error'] as { message?: unknown } | null | undefined)?.message;
  return typeof message === 'string' ? { ...fields, error: withoutAddresses(message) } : fields;
}
