import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Logger } from '@nestjs/common';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from './config/config.js';
import { createServer } from './server.js';

const folder = mkdtempSync(join(tmpdir(), 'rookery-'));
let server: NestFastifyApplication;

beforeAll(async () => {
  server = await createServer(readConfig({ DATABASE_URL: `sqlite:${join(folder, 'test.db')}` }));
  Logger.overrideLogger(false);
  await server.init();
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

it.each([
  ['GET', '/apps/app-id/events?auth_signature=x'],
  ['PUT', '/apps/app-id/channels/news'],
  ['GET', '/apps/app-id/nothing'],
  ['GET', '/nothing'],
] as const)('answers what nobody serves with 404 as text, and does not repeat it: %s %s', async (method, url) => {
  const { statusCode, headers, body } = await server.inject({ method, url });
  expect({ statusCode, type: headers['content-type'], body }).toEqual({
    statusCode: 404,
    type: 'text/plain; charset=utf-8',
    body: 'Not found\n',
  });
});

it('leaves the JSON of health as it is', async () => {
  expect((await server.inject({ method: 'GET', url: '/health/live' })).json()).toEqual({ status: 'ok' });
});
