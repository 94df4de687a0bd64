/** As much of a JSON schema as the OpenAPI document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  description?: string;
  deprecated?: boolean;
}

export interface Operation {
  parameters?: { in: string; name: string }[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}

/** As much of the OpenAPI document as the client is made of. */
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** Paths below /rest/v1/ whose POST takes an Idempotency-Key, with a star for what stands for an object. */
export function keyedOf({ paths }: ApiDocument): string[] {
  const takesKey = ({ post }: Record<string, Operation>) =>
    post?.parameters?.some((each) => each.in === 'header' && each.name === 'idempotency-key');
  return Object.keys(paths).flatMap((path) => (takesKey(paths[path]!) ? [path.replace('/rest/v1/', '').replace(/\{\w+\}/g, '*')] : []));
}

/** What a request takes as JSON. */
export const bodyOf = (operation?: Operation): Schema | undefined => operation?.requestBody?.content?.['application/json']?.schema;

/** What is answered as JSON when all is well. */
export const answerOf = (operation?: Operation): Schema | undefined => {
  const good = Object.entries(operation?.responses ?? {}).find(([code]) => code.startsWith('2'));
  return good?.[1].content?.['application/json']?.schema;
};
