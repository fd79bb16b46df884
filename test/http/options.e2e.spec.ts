import { expect, it } from 'vitest';
import { Readiness } from '../../apps/server/src/health/readiness.js';
import { useServer } from '../support/server.js';

const server = useServer();

it("answers HAProxy's default check, OPTIONS /, while it takes new work", async () => {
  const check = () => server().inject({ method: 'OPTIONS', url: '/' });
  const { statusCode, headers, body } = await check();
  expect({ statusCode, allow: headers.allow, body }).toEqual({
    statusCode: 204,
    allow: 'GET, HEAD, OPTIONS',
    body: '',
  });
  server().get(Readiness).onModuleDestroy();
  expect((await check()).statusCode).toBe(503);
});
