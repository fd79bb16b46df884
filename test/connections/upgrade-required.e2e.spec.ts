import { expect, it } from 'vitest';
import { useServer } from '../support/server.js';

const server = useServer();

it.each([
  '/app/app-key',
  '/app/app-key?protocol=7&client=js&version=8.4.0',
  '/app/unknown/',
  '/session/0123456789abcdef/app/app-key',
])('answers a GET without an upgrade with 426, as behind a proxy that does not forward it: %s', async (url) => {
  const response = await fetch(`${await server().getUrl()}${url}`);
  expect(response.status).toBe(426);
  expect(response.headers.get('upgrade')).toBe('websocket');
  expect(response.headers.get('connection')).toMatch(/upgrade/i);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(await response.text()).toBe(
    'This address is for WebSockets. If a client got this answer, let the proxy forward the headers Upgrade and Connection.\n',
  );
});

it.each([
  ['GET', '/app'],
  ['GET', '/app/a/b'],
  ['GET', '/apps/app-key'],
  ['PUT', '/app/app-key'],
] as const)('leaves others unknown: %s %s', async (method, url) => {
  const { statusCode, headers } = await server().inject({ method, url });
  expect([statusCode, headers['upgrade']]).toEqual([404, undefined]);
});
