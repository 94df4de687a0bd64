import type { TestApi } from './api.ts';

/** What `/rest/v1/<resource>/schema/` tells clients. */
export interface SchemaDocument {
  allowed_list_http_methods: string[];
  allowed_detail_http_methods: string[];
  fields: Record<string, { type: string; readonly: boolean; help_text: string }>;
  filtering: Record<string, unknown>;
  operators: Record<string, string[]>;
  ordering: string[];
}

/** That of every resource, by its name. */
export async function readSchemaDocuments(api: TestApi): Promise<Map<string, SchemaDocument>> {
  const index: Record<string, { schema: string }> = await api.read('/rest/v1/');
  const documents = new Map<string, SchemaDocument>();
  for (const [name, { schema }] of Object.entries(index)) documents.set(name, await api.read(schema));
  return documents;
}
