import { once } from 'node:events';
import { type AddressInfo, createServer as createPort } from 'node:net';
import { describe, expect, it } from 'vitest';
import { MetricsPort } from '../../apps/server/src/metrics-port.js';
import { readConfig } from '../../apps/server/src/config/config.js';
import { createServer } from '../../apps/server/src/server.js';
import { useServer } from '../support/server.js';

const server = useServer();

it('serves the counters of both products to Prometheus', async () => {
  const { statusCode, headers, body } = await server().inject({ method: 'GET', url: '/metrics' });
  expect(statusCode).toBe(200);
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(body).toContain('# TYPE rookery_channels_connections gauge');
  expect(body).toContain('# TYPE rookery_publish_sent_total counter');
});

describe('with METRICS_TOKEN', () => {
  const guarded = useServer({ METRICS_TOKEN: 'scrape-me' });

  it.each([
    ['the token', 'Bearer scrape-me', 200],
    ['no token', undefined, 401],
    ['another token', 'Bearer scrape-you', 401],
    ['the token alone', 'scrape-me', 401],
  ])('the counters are for those who have it: %s', async (_, authorization, status) => {
    const headers = authorization === undefined ? {} : { authorization };
    const { statusCode, body } = await guarded().inject({ method: 'GET', url: '/metrics', headers });
    expect(statusCode).toBe(status);
    expect(body.includes('rookery_channels_connections')).toBe(status === 200);
  });

  it('health stays open, for load balancers', async () => {
    expect((await guarded().inject({ method: 'GET', url: '/health/live' })).statusCode).toBe(200);
  });
});

describe('with METRICS_PORT', () => {
  const apart = useServer({ METRICS_PORT: '0', METRICS_TOKEN: 'scrape-me' });
  const ask = (path: string, init?: RequestInit) =>
    fetch(`http://127.0.0.1:${apart().get(MetricsPort).port}${path}`, init);
  const headers = { authorization: 'Bearer scrape-me' };

  it('the counters are there, and not on the port that clients reach', async () => {
    const answer = await ask('/metrics', { headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await answer.text()).toContain('# TYPE rookery_channels_connections gauge');
    expect((await apart().inject({ method: 'GET', url: '/metrics', headers })).statusCode).toBe(404);
  });

  it.each([
    ['no token', '/metrics', {}, 401],
    ['another path', '/health/live', { headers }, 404],
    ['a write', '/metrics', { method: 'POST', headers }, 404],
  ])('nothing else is: %s', async (_, path, init, status) => {
    const answer = await ask(path, init);
    expect(answer.status).toBe(status);
    expect(await answer.text()).not.toContain('rookery_channels');
  });

  it('a port that is taken ends the start with one line', async () => {
    const taken = createPort().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const environment = { METRICS_PORT: String(port), DATABASE_URL: 'sqlite::memory:' };
    const server = await createServer(readConfig(environment));
    await expect(server.init()).rejects.toThrow(/^HOST, METRICS_PORT: listen EADDRINUSE.*/);
    await server.close();
    taken.close();
  });
});
