// JSON schemas of what many bodies take, for the OpenAPI document.

/** A boolean as clients send it: JSON's own, the numbers of production clients, the words of forms (read by readBoolean). */
export const booleanTaken = (description?: string) => ({
  anyOf: [{ type: 'boolean' }, { enum: [1, 0] }, { type: 'string', enum: ['1', '0', 'true', 'false', 'on', 'off'] }],
  ...(description && { description }),
});
