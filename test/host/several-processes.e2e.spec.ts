import { NestFactory } from '@nestjs/core';
import { afterEach, expect, it, vi } from 'vitest';
import { ChannelsModule, EventsService } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { createHost } from '../support/embedding-host.js';
import { Link, LinkedBroker } from '../support/linked.broker.js';
import { testApp } from '../support/test-app.js';

afterEach(() => vi.unstubAllEnvs());

const asOneOfTwo = (): void => {
  for (const [name, value] of Object.entries({ pm_id: '1', instances: '2' })) vi.stubEnv(name, value);
};
const imports = (more: object = {}) => [PresenceModule.forRoot(), ChannelsModule.forRoot({ apps: [testApp], ...more })];

it('one process of several does not start in production without a shared broker', async () => {
  asOneOfTwo();
  vi.stubEnv('NODE_ENV', 'production');
  const { app } = await createHost({ imports: imports() });
  await expect(app.init()).rejects.toThrow(
    'ChannelsModule: pm2 runs several processes, and InProcessBroker is for one',
  );
});

it('one process of several starts with a warning elsewhere, and without one where the broker is shared', async () => {
  asOneOfTwo();
  for (const [more, count] of [
    [{}, 1],
    [{ broker: { useValue: new LinkedBroker(new Link()) } }, 0],
  ] as const) {
    const { app, lines } = await createHost({ imports: imports(more) });
    await app.init();
    const warnings = lines.filter(({ level, text }) => level === 'warn' && text.includes('RedisModule'));
    expect(warnings).toHaveLength(count);
    await app.close();
  }
});

it.each([
  ['without HTTP', { serveRoutes: false }],
  ['of createApplicationContext', undefined],
])('a process %s warns once that nobody gets what it triggers', async (_what, hosting) => {
  const warnings: string[] = [];
  const logger = { log() {}, error() {}, warn: (text: string) => void warnings.push(text) };
  const module = { module: class Jobs {}, imports: imports(hosting) };
  const context = hosting
    ? await NestFactory.create(module, { logger }).then((app) => app.init())
    : await NestFactory.createApplicationContext(module, { logger });
  expect(warnings.filter((text) => text.includes('nobody gets it'))).toEqual([]);
  for (const name of ['one', 'two'])
    await context.get(EventsService).trigger(testApp.id, { name, channel: 'news', data: 'd' });
  expect(warnings.filter((text) => text.includes('nobody gets it'))).toHaveLength(1);
  await context.close();
});
