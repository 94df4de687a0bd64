import { writeFileSync } from 'node:fs';
import { takeNothing } from './command.ts';

// npm run clients: makes anew what the two clients know of the OpenAPI document. Needs no services.
takeNothing('npm run clients');
const { detachedApi } = await import('../api/describe/detached.ts');
const { pythonOf, typescriptOf } = await import('../tools/clients/typescript.ts');
const app = await detachedApi(undefined);
const document = (await app.inject('/rest/v1/openapi.json')).json();
writeFileSync(new URL('../clients/typescript/src/schemas.ts', import.meta.url), typescriptOf(document));
writeFileSync(new URL('../clients/python/campaign_client/keyed.py', import.meta.url), pythonOf(document));
await app.close();
