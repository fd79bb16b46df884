import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { AppModule } from '../../apps/server/src/app.module.js';
import { readConfig } from '../../apps/server/src/config/config.js';
import { notingAdapter, openApplication } from './application/application.js';
import { directly } from './application/direct-call.js';
import { requestTo } from './application/request.js';
import { app, password } from './application/settings.js';
import { instance } from './instance.js';

/** The server with all that it can be configured to serve. */
async function routesOfServer(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-routes-'));
  const file = join(folder, 'rookery.json');
  const notifications = [{ app: app.id, instance: instance.id }];
  writeFileSync(file, JSON.stringify({ apps: [app], instances: [instance], notifications }));
  const environment = { CONFIG_FILE: file, CONSOLE_PASSWORD: password, DATABASE_URL: `sqlite:${join(folder, 'a.db')}` };
  const { adapter, routes } = notingAdapter();
  const module = AppModule.forRoot(readConfig(environment));
  const server = await NestFactory.create<NestFastifyApplication>(module, adapter, { logger: false });
  try {
    await server.init();
    return routes.map(({ method, pattern }) => `${method} ${pattern}`);
  } finally {
    await server.close();
    rmSync(folder, { recursive: true });
  }
}

it('the target `bodies` has every route of the server that takes a body', async () => {
  const { host, routes } = await openApplication();
  await host.close();
  const known = new Set(routes.map(({ method, pattern }) => `${method} ${pattern}`));
  const served = await routesOfServer();
  expect(served.length).toBeGreaterThan(30);
  expect(served.filter((route) => !known.has(route))).toEqual([]);
});

it('routes answer alike with and without Fastify around them', async () => {
  const { host, routes, userToken } = await openApplication();
  try {
    const bodies = ['{}', '[]', '{"a":', '{"name":7}', '{"interests":["a"],"web":{"notification":{"title":"a"}}}'];
    for (const route of routes)
      for (const body of bodies) {
        const request = requestTo(route, Buffer.from(body), userToken);
        const direct = await directly(route.handler, { ...request, params: route.params, ip: '127.0.0.1' });
        const whole = await host.inject({ ...request, method: route.method as 'POST' });
        const said = `${route.method} ${route.path} ${body}`;
        expect(whole.statusCode, said).toBe(direct.status);
        const types = [direct.type, whole.headers['content-type']].map((type) => String(type).split(';')[0]);
        expect(direct.text === '' || types[1] === types[0], `${said}: ${types.join(' ')}`).toBe(true);
        // Ids are random.
        const isRefused = direct.status >= 400;
        expect(isRefused ? whole.body : '', said).toBe(isRefused ? direct.text : '');
      }
  } finally {
    await host.close();
  }
});
