import { expect, it } from 'vitest';
import { useServer } from '../support/server.js';

const server = useServer();

it.each([
  ['/apps/app-id/channels/%zz', null, 'text/plain; charset=utf-8', 'The path of the request is malformed.\n'],
  [
    '/customer_api/v1/instances/x/users/%ff',
    null,
    'application/json',
    '{"error":"Bad Request","description":"The path of the request is malformed."}\n',
  ],
  [
    '/device_api/v1/instances/x/devices/fcm/%zz',
    '*',
    'application/json',
    '{"error":"Bad Request","description":"The path of the request is malformed."}\n',
  ],
])('GET %s is 400 in the words of its API', async (path, origin, type, text) => {
  const response = await fetch((await server().getUrl()) + path);
  expect(response.status).toBe(400);
  expect(response.headers.get('content-type')).toContain(type);
  expect(response.headers.get('access-control-allow-origin')).toBe(origin);
  expect(await response.text()).toBe(text);
});
