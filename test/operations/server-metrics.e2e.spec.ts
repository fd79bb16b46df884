import { expect, it } from 'vitest';
import { useServer } from '../support/server.js';

const server = useServer();

it('serves the counters of both products to Prometheus', async () => {
  const { statusCode, headers, body } = await server().inject({ method: 'GET', url: '/metrics' });
  expect(statusCode).toBe(200);
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(body).toContain('# TYPE rookery_channels_connections gauge');
  expect(body).toContain('# TYPE rookery_publish_sent_total counter');
});
