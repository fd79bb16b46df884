import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../apps/server/src/config/config.js';
import { createServer } from '../../apps/server/src/server.js';
import { instance } from '../support/push-app.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

describe('a process for the API and a worker, on one database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-roles-'));
  let api: NestFastifyApplication;
  let worker: NestFastifyApplication | undefined;
  beforeAll(async () => {
    const file = {
      instances: [instance],
      publish: { pollMs: 20 },
    };
    writeFileSync(join(folder, 'rookery.json'), JSON.stringify(file));
    api = await start('api');
  });
  afterAll(async () => {
    await worker?.close();
    await api.close();
    rmSync(folder, { recursive: true });
  });

  async function start(role: string): Promise<NestFastifyApplication> {
    const environment = { CONFIG_FILE: join(folder, 'rookery.json'), ROLE: role };
    const server = await createServer(
      readConfig({ ...environment, DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}` }),
    );
    Logger.overrideLogger(false);
    await server.listen(0, '127.0.0.1');
    return server;
  }

  const authorization = `Bearer ${instance.secretKey}`;
  const publishes = `/publish_api/v1/instances/${instance.id}/publishes`;
  const devices = `/device_api/v1/instances/${instance.id}/devices/fcm`;

  it('accepts publishes, which the worker sends once it runs', async () => {
    const { id } = (await api.inject({ method: 'POST', url: devices, payload: { token: 'device' } })).json();
    await api.inject({ method: 'PUT', url: `${devices}/${id}/interests`, payload: { interests: ['news'] } });
    const payload = { interests: ['news'], fcm: { notification: { title: 'hi' } } };
    const url = `${publishes}/interests`;
    const published = await api.inject({ method: 'POST', url, payload, headers: { authorization } });
    // Without credentials for a gateway: only the sender finds out that it cannot send.
    const state = async (): Promise<string> =>
      (
        await api.inject({
          method: 'GET',
          url: `${publishes}/${published.json().publishId}`,
          headers: { authorization },
        })
      ).json().state;
    // Long enough for a worker to have looked for work several times.
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await state()).toBe('pending');
    worker = await start('worker');
    await until(async () => (await state()) === 'finished', 'it is sent');
  });

  it('the worker serves only its health and metrics', async () => {
    const get = (url: string) => worker!.inject({ method: 'GET', url, headers: { authorization } });
    expect((await get('/health/live')).statusCode).toBe(200);
    expect((await get('/health/ready')).json()).toEqual({ status: 'ok' });
    const { body } = await get('/metrics');
    expect(body).toContain('rookery_publish_sent_total');
    expect(body).not.toContain('rookery_channels');
    for (const url of [publishes, `${devices}/fcm-1`, '/apps/app-id/channels'])
      expect((await get(url)).statusCode).toBe(404);
    expect((await worker!.inject({ method: 'POST', url: devices, payload: { token: 'x' } })).statusCode).toBe(404);
    const { port } = worker!.getHttpServer().address() as AddressInfo;
    await expect(SocketClient.open(port, { key: 'app-key', secret: 'app-secret' })).rejects.toThrow();
    expect((await api.inject({ method: 'GET', url: '/metrics' })).body).toContain('rookery_channels_connections');
  });
});
