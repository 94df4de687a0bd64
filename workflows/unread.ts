import { defaultPayloadConverter, type RawValue, rawValueTypeInfo } from '@temporalio/common';

/** More than anybody sends along. */
const MOST_VALUES = 20;

/**
 * Of a signal, or of what a run is started with: what comes with it is handed over unread. Whoever sends one by hand, in the Temporal UI or CLI, may send anything along; what the SDK
 * cannot read would fail the run's next step, on each worker and for good.
 */
export const UNREAD = { typeInfo: { inputTypes: Array.from({ length: MOST_VALUES }, () => rawValueTypeInfo) } };

/** What came with it; undefined where nothing did, or what cannot be read. */
export function whatCame(sent: RawValue | undefined): unknown {
  if (sent === undefined) return undefined;
  try {
    return defaultPayloadConverter.fromPayload(sent.payload);
  } catch {
    return undefined;
  }
}

/** The text that came with a signal; undefined for whatever else did. */
export function textOf(sent: RawValue | undefined): string | undefined {
  const value = whatCame(sent);
  return typeof value === 'string' ? value : undefined;
}
