import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { LightMyRequestResponse } from 'fastify';
import type { TestApi } from './api.ts';

/** Calls the API and holds the answer against its document: status, body and headers have to be described. */
export type DocumentedCall = (method: string, path: string, url: string, payload?: unknown) => Promise<LightMyRequestResponse>;

/** @returns calls of `path` as the document writes it (`/rest/v1/mailer/{id}/`) at the address `url` */
export async function documented(api: TestApi): Promise<DocumentedCall> {
  const document = await api.read('/rest/v1/openapi.json');
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  return async (method, path, url, payload) => {
    const answer = await api.call(method, url, payload);
    const described = document.paths[path]?.[method.toLowerCase()]?.responses[answer.statusCode];
    assert.ok(described, `${method} ${url} answered ${answer.statusCode}, which is not described: ${answer.body}`);
    const schema = described.content?.['application/json']?.schema;
    if (!schema) assert.equal(answer.body, '', `${method} ${url} ${answer.statusCode} is described as empty`);
    else {
      const valid = ajv.compile({ ...schema, components: document.components });
      assert.ok(valid(answer.json()), `${method} ${url} ${answer.statusCode}: ${JSON.stringify(valid.errors)} ${answer.body}`);
    }
    for (const header of Object.keys(described.headers ?? {}))
      assert.ok(answer.headers[header.toLowerCase()], `${method} ${url}: ${header}`);
    return answer;
  };
}
