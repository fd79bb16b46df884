import { expect, it } from 'vitest';
import { Database } from 'rookery/typeorm';
import { instance } from '../support/push-app.js';
import { useServer } from '../support/server.js';
import { until } from '../support/until.js';

const server = useServer({ BEAMS_INSTANCE_ID: instance.id, BEAMS_SECRET_KEY: instance.secretKey });

const ready = () => server().inject({ method: 'GET', url: '/health/ready' });

async function registration(): Promise<number> {
  const url = `/device_api/v1/instances/${instance.id}/devices/fcm`;
  const payload = { token: crypto.randomUUID() + 'x'.repeat(4000) };
  return (await server().inject({ method: 'POST', url, payload })).statusCode;
}

it('is ready unless the disk is full, and again once there is room', async () => {
  expect((await ready()).json()).toEqual({ status: 'ok' });

  const { dataSource } = server().get(Database);
  const [{ page_count: pages }] = await dataSource.query('PRAGMA page_count');
  await dataSource.query(`PRAGMA max_page_count = ${pages}`);
  await until(async () => (await registration()) === 503, 'no registration can be kept');
  await until(async () => (await ready()).statusCode === 503, 'it is not ready');
  expect((await ready()).json()).toEqual({ status: 'the database takes no writes' });
  expect((await server().inject({ method: 'GET', url: '/health/live' })).statusCode).toBe(200);

  await dataSource.query('PRAGMA max_page_count = 1000000');
  await until(async () => (await ready()).statusCode === 200, 'it is ready again');
  expect(await registration()).toBe(200);
});
