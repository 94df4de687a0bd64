import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError, CampaignClient } from '../../clients/typescript/src/index.ts';
import { runPythonClient } from '../support/python-client.ts';

const PYTHON = `
from campaign_client import ApiError, CampaignClient
client = CampaignClient.from_environment(attempts=1)
print(client.poll("mailer/7/status/")["success"])
try:
    client.poll("mailer/7/status/")
except ApiError as error:
    print(error.status)
`;

describe('whoever polls while the API is started anew', () => {
  let server: Server;
  let variables: { API_URL: string; API_USERNAME: string; API_PASSWORD: string };
  /** What is answered, one after the other: a document, an error of what stands before the API, or nothing but the end of the connection. */
  let answers: (object | number | null)[];
  before(async () => {
    server = createServer((_request, reply) => {
      const answer = answers.shift()!;
      if (answer === null) return reply.destroy();
      if (typeof answer === 'number') return reply.writeHead(answer).end();
      reply.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    variables = { API_URL: url, API_USERNAME: 'admin', API_PASSWORD: 'secret' };
  });
  beforeEach(() => {
    // The second time it has never answered: an address of which nobody knows whether a platform is there.
    answers = [{ finished: false }, null, 503, 502, null, { finished: true, success: true }, 503];
  });
  after(() => server.close());

  it('TypeScript: is told the end', async () => {
    const client = CampaignClient.fromEnvironment(variables, { attempts: 1 });
    const seen: unknown[] = [];
    const document = await client.poll('mailer/7/status/', { seen: ({ finished }) => seen.push(finished) });
    assert.deepEqual([document.success, seen], [true, [false, true]]);
    await assert.rejects(client.poll('mailer/7/status/'), (error) => error instanceof ApiError && error.status === 503);
    answers = [{ finished: false }, 404];
    await assert.rejects(client.poll('mailer/7/status/'), (error) => error instanceof ApiError && error.status === 404);
  });

  it('Python: is told the end', async function () {
    const lines = await runPythonClient(PYTHON, variables);
    if (!lines) return this.skip();
    assert.deepEqual(lines, ['True', '503']);
  });
});
