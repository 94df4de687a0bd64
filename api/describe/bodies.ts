type Json = Record<string, unknown>;

export interface Body {
  required?: boolean;
  description?: string;
  content?: Record<string, { schema?: Json; example?: unknown }>;
}

/**
 * Shows a body that may be a form as well as JSON alone, as those of plain resources are: of several types for one schema openapi-python-client makes
 * functions that cannot be imported, or send the body as all of them at once. Changes the body.
 */
export function asJsonAlone(body: Body): void {
  const { 'application/json': json, ...forms } = body.content ?? {};
  const types = Object.keys(forms);
  if (!json || types.length === 0) return;
  body.content = { 'application/json': json };
  body.description = [body.description, `A form is taken, too: ${types.join(', ')}.`].filter(Boolean).join(' ');
}

/** Whether a body without any field is refused: one is required, or one of several. */
export function asksForSomething({ required, anyOf, oneOf, minProperties }: Json): boolean {
  const either = (anyOf ?? oneOf ?? []) as Json[];
  return Boolean(required || minProperties || (either.length > 0 && either.every((each) => each['required'])));
}

/** How it is said which of several fields has to be there. */
const CHOICES: Record<string, (fields: string) => string> = {
  anyOf: (fields) => `One of ${fields} is required.`,
  oneOf: (fields) => `Exactly one of ${fields} is required.`,
};

/**
 * Says in words which of several fields has to be there, where a schema says so beside its fields: of both openapi-python-client makes a body without any
 * field, openapi-generator code that does not compile (Go) or none at all (Python).
 */
export function withChoicesInWords(schema: Json): Json {
  let shown = schema;
  for (const [keyword, sentence] of Object.entries(CHOICES)) {
    const { [keyword]: choices = [], ...rest } = shown as Json & Record<string, { required?: string[] }[]>;
    const fields = choices.flatMap(({ required = [] }) => required);
    if (fields.length === 0 || !rest['properties']) continue;
    shown = { ...rest, description: [rest['description'], sentence(fields.join(' and '))].filter(Boolean).join(' ') };
  }
  return shown;
}
