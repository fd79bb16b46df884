import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import type { ServerConfig } from '../../../server/src/config/config.js';
import type { Finding } from './finding.js';
import { webhookFindings } from './webhooks.js';

async function found(...urls: readonly string[]): Promise<readonly Finding[]> {
  const config = { apps: [{ webhooks: urls.map((url) => ({ url })) }], instances: [] };
  const findings: Finding[] = [];
  for await (const each of webhookFindings(config as unknown as ServerConfig)) findings.push(each); // All that it reads.
  return findings;
}

it('tries a URL with its credentials, and does not print them', async () => {
  const server = createServer(({ headers }, response) => {
    const isKnown = headers.authorization === `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    response.writeHead(isKnown ? 204 : 401).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    expect(await found(`http://user:p%40ss@127.0.0.1:${port}/hook?a=1`)).toEqual([
      { state: 'ok', about: `webhook http://127.0.0.1:${port}/hook`, text: 'it answers (204 to a HEAD)' },
    ]);
  } finally {
    server.close();
  }
  const [fault] = await found(`http://user:p%40ss@127.0.0.1:${port}/hook`);
  expect(fault).toMatchObject({ state: 'fault', text: expect.stringContaining('ECONNREFUSED') as string });
  expect(JSON.stringify(fault)).not.toContain('p%40ss');
});
