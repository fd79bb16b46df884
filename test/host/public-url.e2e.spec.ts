import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import dns from 'node:dns';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readConfig } from '../../apps/server/src/config/config.js';
import { createServer } from '../../apps/server/src/server.js';
import { instance } from '../support/push-app.js';
import { standInWebPush } from '../support/stand-ins/index.js';
import { until } from '../support/until.js';

const to = 'https://shop.example/orders/7';
let folder: string;
const ending: (() => unknown)[] = [];
const { lookup } = dns;
beforeEach(() => {
  // Apple's push service is on this machine.
  const here = (name: string) => (name.endsWith('.push.apple.com') ? '127.0.0.1' : name);
  lookUp(((name: string, ...rest: readonly unknown[]) =>
    (lookup as (...all: unknown[]) => void)(here(name), ...rest)) as typeof lookup);
  folder = mkdtempSync(join(tmpdir(), 'rookery-public-'));
  // The stand-in has no certificate of Apple's.
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
});
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
  vi.unstubAllEnvs();
  lookUp(lookup);
  rmSync(folder, { recursive: true });
});

/** Modules that other specs of this process have loaded use it, too, so a mock of the module is not enough. */
function lookUp(by: typeof lookup): void {
  dns.lookup = by;
  syncBuiltinESMExports();
}

/** The server with this in its configuration file, after a publish to Safari. @returns it, and where its link leads */
async function published(publish: object): Promise<{ server: NestFastifyApplication; navigate: string }> {
  const vendor = await standInWebPush({ host: 'web.push.apple.com' });
  ending.push(() => vendor.close());
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify({ instances: [{ ...instance, web: vendor.credentials }], publish }));
  const environment = { CONFIG_FILE: config, DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}` };
  const server = await createServer(readConfig({ ...environment, ALLOW_PRIVATE_NETWORK: 'true' }));
  ending.push(() => server.close());
  Logger.overrideLogger(false);
  await server.listen(0, '127.0.0.1');
  const devices = `/device_api/v1/instances/${instance.id}/devices/web`;
  const { id } = (
    await server.inject({ method: 'POST', url: devices, payload: { token: vendor.subscribe().token } })
  ).json<{
    id: string;
  }>();
  await server.inject({ method: 'PUT', url: `${devices}/${id}/interests`, payload: { interests: ['orders'] } });
  const { statusCode } = await server.inject({
    method: 'POST',
    url: `/publish_api/v1/instances/${instance.id}/publishes/interests`,
    headers: { authorization: `Bearer ${instance.secretKey}` },
    payload: { interests: ['orders'], web: { notification: { title: 'Shipped', deep_link: to } } },
  });
  expect(statusCode).toBe(200);
  await until(() => vendor.received.length === 1, 'Apple gets the push');
  const { notification } = vendor.received[0]!.payload as { notification: { navigate: string } };
  return { server, navigate: notification.navigate };
}

it('a publicUrl in the server’s file is where the links of Safari’s notifications lead first', async () => {
  const { server, navigate } = await published({ publicUrl: 'https://push.example/' });
  expect(navigate).toMatch(new RegExp(`^https://push\\.example/reporting_api/v2/instances/${instance.id}/opens/`));
  const { statusCode, headers } = await server.inject({ url: navigate.slice('https://push.example'.length) });
  expect([statusCode, headers.location]).toEqual([302, to]);
});

it('without it, they lead straight to the deep_link', async () => {
  expect((await published({})).navigate).toBe(to);
});
