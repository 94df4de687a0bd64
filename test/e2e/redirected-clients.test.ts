import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError, CampaignClient } from '../../clients/typescript/src/index.ts';
import { runPythonClient } from '../support/python-client.ts';

const PYTHON = `
from campaign_client import ApiError, CampaignClient
client = CampaignClient.from_environment(attempts=1)
def said(work):
    try:
        work()
    except ApiError as error:
        print(error.status, error.location)
    else:
        print("taken for done")
said(lambda: client.create("list", {"name": "x"}))
said(lambda: client.update("list", 1, {"name": "x"}))
said(lambda: client.delete("list", 1))
said(lambda: client.get("list", 1))
said(lambda: client.create("eraser", {"user_id": 7}))
print(client.start("eraser/", {"user_id": 1}))
`;

/** What stands in front of a platform and leads to https, or to a login; an eraser answers as the platform does. */
describe('the clients, where another address is to be asked', () => {
  let server: Server;
  let variables: { API_URL: string; API_USERNAME: string; API_PASSWORD: string };
  before(async () => {
    server = createServer(async (request, reply) => {
      const body = (await request.toArray()).join('');
      if (!request.url?.includes('eraser')) reply.writeHead(301, { location: `https://campaign.example.org${request.url}` });
      else reply.writeHead(303, { location: body.includes('7') ? 'https://login.example.org/' : '/rest/v1/user/1/' });
      reply.end();
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    variables = { API_URL: url, API_USERNAME: 'admin', API_PASSWORD: 'secret' };
  });
  after(() => server.close());

  it('TypeScript: does not take what was led elsewhere for done', async () => {
    const client = CampaignClient.fromEnvironment(variables, { attempts: 1 });
    const led = (work: Promise<unknown>, [status, location]: [number, string]) =>
      assert.rejects(work, (error) => error instanceof ApiError && error.status === status && error.location === location);
    const list: [number, string] = [301, 'https://campaign.example.org/rest/v1/list/1/'];
    await led(client.create('list', { name: 'x' }), [301, 'https://campaign.example.org/rest/v1/list/']);
    await led(client.update('list', 1, { name: 'x' }), list);
    await led(client.delete('list', 1), list);
    await led(client.get('list', 1), list);
    await led(client.start('eraser/', { user_id: 7 }), [303, 'https://login.example.org/']);
    assert.equal(await client.start('eraser/', { user_id: 1 }), '/rest/v1/user/1/');
  });

  it('Python: does the same', async function () {
    const lines = await runPythonClient(PYTHON, variables);
    if (!lines) return this.skip();
    const list = '301 https://campaign.example.org/rest/v1/list/';
    assert.deepEqual(lines, [list, ...Array(3).fill(`${list}1/`), '303 https://login.example.org/', '/rest/v1/user/1/']);
  });
});
