import { describe, expect, it } from 'vitest';
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
