import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Logger } from '@nestjs/common';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from './config/config.js';
import { createServer } from './server.js';

const folder = mkdtempSync(join(tmpdir(), 'rookery-metrics-'));
let server: NestFastifyApplication;
beforeAll(async () => {
  server = await createServer(readConfig({ DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}` }));
  Logger.overrideLogger(false);
  await server.init();
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

it('serves the counters of both products to Prometheus', async () => {
  const { statusCode, headers, body } = await server.inject({ method: 'GET', url: '/metrics' });
  expect(statusCode).toBe(200);
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(body).toContain('# TYPE rookery_channels_connections gauge');
  expect(body).toContain('# TYPE rookery_publish_sent_total counter');
});
