import { assert, asyncProperty, constantFrom, json, oneof, string, uint8Array } from 'fast-check';
import { connect } from 'node:net';
import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { TypeOrmDeviceRepository, TypeOrmStorageModule } from 'rookery/typeorm';
import { instance, startDeviceApi } from '../support/push-app.js';
import { until } from '../support/until.js';

const sentence = { error: expect.stringMatching(/./), description: expect.stringMatching(/./) };
const base = `/device_api/v1/instances/${instance.id}`;

describe.each(['Fastify', 'Express'] as const)('the device API on %s, with hostile clients', (platform) => {
  let api: Awaited<ReturnType<typeof startDeviceApi>>;
  const errors = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  beforeAll(async () => {
    const storage = TypeOrmStorageModule.forRoot({ url: 'sqlite::memory:' });
    api = await startDeviceApi({ imports: [storage], deviceRepository: TypeOrmDeviceRepository }, platform);
  });
  afterAll(async () => {
    await api.close();
    errors.mockRestore();
  });

  const text = () => string({ unit: 'binary', maxLength: 300 });
  const methods = constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH');
  const resource = () =>
    oneof(
      constantFrom('devices/fcm', 'devices/apns', 'devices/web', 'web-vapid-public-key'),
      text().map((id) => `devices/fcm/${encodeURIComponent(id)}`),
      text().map((id) => `devices/web/${encodeURIComponent(id)}/user`),
      text().map((name) => `devices/fcm/fcm-x/interests/${encodeURIComponent(name)}`),
      text().map((query) => `devices/fcm/fcm-x/interests?limit=${encodeURIComponent(query)}`),
      text().map((query) => `devices/fcm/fcm-x/interests?cursor=${encodeURIComponent(query)}`),
      text().map(encodeURIComponent),
    );

  it('answers any path and body, and never with a 5xx', async () => {
    const types = constantFrom('application/json', 'application/json; charset=x', 'text/plain', '', ';');
    const body = oneof(
      json(),
      text(),
      uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    );
    await assert(
      asyncProperty(methods, resource(), types, body, async (method, path, type, sent) => {
        const answer = await api.call(method, path, {
          headers: { 'content-type': type },
          body: method === 'GET' ? undefined : sent,
        });
        expect(answer.status).toBeLessThan(500);
        const isRefusal = answer.status >= 400 && answer.text !== '404 page not found';
        expect(isRefusal ? answer.json : sentence).toEqual(sentence);
      }),
      { numRuns: 300 },
    );
    expect(errors).not.toHaveBeenCalled();
  }, 60_000);

  it.each([
    ['a registration', 'POST', 'devices/fcm', 32],
    ['a registration with a start token', 'POST', 'devices/apns', 32],
    ['a token', 'PUT', 'devices/fcm/fcm-x/token', 32],
    ['metadata', 'PUT', 'devices/web/web-x/metadata', 32],
    ['an interest, which needs none', 'POST', 'devices/fcm/fcm-x/interests/a', 32],
    ['a set of interests', 'PUT', 'devices/fcm/fcm-x/interests', 1024],
  ])('reads a body of %s only as far as one may be long', async (_what, method, path, kib) => {
    const headers = { 'content-type': 'application/json' };
    const ask = (bytes: number) => api.call(method, path, { headers, body: '{}'.padEnd(bytes) });
    const tooLarge = { error: 'Bad request', description: `Request body size is too large (max ${kib}KiB).` };
    expect((await ask(kib * 1024)).json).not.toEqual(tooLarge);
    const { status, json } = await ask(kib * 1024 + 1);
    expect([status, json]).toEqual([400, tooLarge]);
  });

  it.each([';', 'application/json; charset=x', 'text/plain; charset=x'])(
    'does not look at the type %s of an empty body',
    async (type) => {
      const path = await api.registered();
      const { status } = await api.call('PUT', `${path}/user`, { headers: { 'content-type': type }, body: '' });
      expect(status).toBe(401);
      expect((await api.call('DELETE', path, { headers: { 'content-type': type }, body: '' })).status).toBe(200);
    },
  );

  it.each(['%', '%zz', '%c3', '%ff/x', '%00%01'])('refuses an invalid escape: %s', async (path) => {
    for (const place of [path, `devices/fcm/${path}`, `devices/fcm/fcm-x/interests/${path}`]) {
      const { status } = await api.call('DELETE', place);
      expect(status).toBeOneOf([200, 400, 404]);
    }
  });

  it.each([
    ['nested to any depth', `{"token":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
    ['nested as metadata', `{"token":"t","metadata":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`],
    ['that sets prototypes', '{"__proto__":{"token":"t"},"constructor":{"prototype":{}}}'],
    ['with a key a million times', `{${'"a":1,'.repeat(100_000)}"token":7}`],
  ])('survives a body %s', async (_, body) => {
    const headers = { 'content-type': 'application/json' };
    expect((await api.call('POST', 'devices/fcm', { body, headers })).status).toBeOneOf([200, 400]);
  });

  it('survives clients that disconnect within a body', async () => {
    const registering = `POST ${base}/devices/fcm HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
    for (const rest of ['Content-Length: 1000\r\n\r\n{"token":', 'Transfer-Encoding: chunked\r\n\r\n5\r\n{"tok']) {
      const socket = connect(api.port, '127.0.0.1', () => socket.write(registering + rest));
      await until(() => socket.bytesWritten > 0, 'the request was sent');
      socket.destroy();
    }
    expect((await api.call('POST', 'devices/fcm', { body: { token: 'still there' } })).status).toBe(200);
    expect(errors).not.toHaveBeenCalled();
  });

  it('answers a request with malformed chunks', async () => {
    const answer = await new Promise<string>((resolve) => {
      let received = '';
      const request = `PUT ${base}/devices/fcm/fcm-x/metadata HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n`;
      const socket = connect(api.port, '127.0.0.1', () => socket.write(request));
      socket.on('data', (chunk) => (received += chunk.toString())).on('close', () => resolve(received));
    });
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
  });
});
