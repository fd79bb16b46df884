import { expect, it } from 'vitest';
import { useServer } from '../support/server.js';

const server = useServer();

it.each([
  ['GET', '/apps/app-id/events?auth_signature=x'],
  ['PATCH', '/apps/app-id/channels/news'],
  ['GET', '/apps/app-id/nothing'],
  ['GET', '/nothing'],
] as const)('answers unknown paths with 404 as text, and does not repeat them: %s %s', async (method, url) => {
  const { statusCode, headers, body } = await server().inject({ method, url });
  expect({ statusCode, type: headers['content-type'], body }).toEqual({
    statusCode: 404,
    type: 'text/plain; charset=utf-8',
    body: 'Not found\n',
  });
});

it('leaves the JSON of health unchanged', async () => {
  expect((await server().inject({ method: 'GET', url: '/health/live' })).json()).toEqual({ status: 'ok' });
});
