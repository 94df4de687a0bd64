import { defaultPayloadConverter, type RawValue, rawValueTypeInfo } from '@temporalio/common';

/** More than anybody sends with one signal. */
const MOST_VALUES = 20;

/**
 * Of a signal: what comes with it is handed over unread. Whoever sends one by hand, in the Temporal UI or CLI, may send anything along; what the SDK cannot read would
 * fail the run's next step, on each worker and for good.
 */
export const UNREAD = { typeInfo: { inputTypes: Array.from({ length: MOST_VALUES }, () => rawValueTypeInfo) } };

/** The text that came with a signal; undefined for whatever else did. */
export function textOf(sent: RawValue | undefined): string | undefined {
  if (sent === undefined) return undefined;
  try {
    const value: unknown = defaultPayloadConverter.fromPayload(sent.payload);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
