/** Everything that can be read in it (a history, say); payloads are bytes. */
export function allText(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return typeof value === 'object' && value !== null ? Object.values(value).map(allText).join('\n') : String(value);
}
