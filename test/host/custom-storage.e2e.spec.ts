import PushNotifications from '@pusher/push-notifications-server';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Pusher from 'pusher';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Example } from '../support/example.js';
import { joined, PusherJs } from '../support/pusher-js.js';
import { type StandInWebPush, standInWebPush } from '../support/stand-ins/index.js';
import { until } from '../support/until.js';
import { appId, instanceId } from '../../examples/custom-storage/src/first-start.js';
import { StoredInstanceRepository } from '../../examples/custom-storage/src/ports/instance.repository.js';
import { JsonLinesStore } from '../../examples/custom-storage/src/store/json-lines.store.js';

const folder = mkdtempSync(join(tmpdir(), 'rookery-custom-storage-'));
const environment = { DATA: folder, ALLOW_PRIVATE_NETWORK: 'true' };
let vendor: StandInWebPush;
let example: Example;

beforeAll(async () => {
  vendor = await standInWebPush();
  const store = await JsonLinesStore.open(join(folder, 'documents.jsonl'));
  const instances = new StoredInstanceRepository(store);
  await instances.save({ id: instanceId, secretKey: 'secret', web: vendor.credentials });
  await store.onApplicationShutdown();
  example = await Example.start('custom-storage', environment);
}, 180_000);
afterAll(async () => {
  await example?.stop();
  await vendor?.close();
  rmSync(folder, { recursive: true });
});

const port = () => new URL(example.url).port;
const beams = () =>
  new PushNotifications({ instanceId, secretKey: 'secret', endpoint: 'localhost', port: port() } as any);
const publish = async (title: string) => {
  await beams().publishToInterests(['news'], { web: { notification: { title } } });
  await until(
    () => vendor.received.some(({ payload }) => payload.notification.title === title),
    `${title} came`,
    30_000,
  );
};
const device = async (path: string, method: string, body?: object) => {
  const url = `${example.url}/device_api/v1/instances/${instanceId}/devices/web${path}`;
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
  expect(answer.ok).toBe(true);
  return answer.text();
};

it('carries an event from the server’s library to the browser’s', async () => {
  const browser = new PusherJs('key', {
    cluster: 'self',
    wsHost: 'localhost',
    wsPort: Number(port()),
    forceTLS: false,
    enabledTransports: ['ws'],
  });
  try {
    const news = await joined(browser, 'news');
    const heard = new Promise((resolve) => news.bind('headline', resolve));
    const server = new Pusher({ appId, key: 'key', secret: 'secret', host: 'localhost', port: port(), useTLS: false });
    await server.trigger('news', 'headline', { text: 'Fresh bread' });
    expect(await heard).toEqual({ text: 'Fresh bread' });
  } finally {
    browser.disconnect();
  }
}, 60_000);

it('finds the devices again after a kill', async () => {
  const { id } = JSON.parse(await device('', 'POST', { token: vendor.subscribe('chromium').token }));
  await device(`/${id}/interests/news`, 'POST');
  await publish('before');
  await example.stop('SIGKILL');
  example = await Example.start('custom-storage', environment);
  expect(JSON.parse(await device(`/${id}`, 'GET'))).toMatchObject({ id });
  expect(JSON.parse(await device(`/${id}/interests`, 'GET'))).toMatchObject({ interests: ['news'] });
  await publish('after');
  expect(await (await fetch(example.url)).json()).toMatchObject({ apps: 1, instances: 1, devices: 1, publishes: 2 });
}, 120_000);
