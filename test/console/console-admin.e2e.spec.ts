import { Logger } from '@nestjs/common';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import Pusher from 'pusher';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { readConfig } from '../../apps/server/src/config/config.js';
import { createServer } from '../../apps/server/src/server.js';
import { applePem } from '../support/private-keys.js';
import { SocketClient } from '../support/socket-client.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const ofFile = { id: 'file', key: 'file-key', secret: 'file-secret' };
const pushOfFile = { id: '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', secretKey: 'file-secret-key' };
const password = 'only for this test';
const folder = mkdtempSync(join(tmpdir(), 'rookery-admin-'));
let receiver: WebhookReceiver;
let server: NestFastifyApplication;
let port: number;
let said: string[] = [];

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  writeFileSync(join(folder, 'rookery.json'), JSON.stringify({ apps: [ofFile], instances: [pushOfFile] }));
  const environment = { CONFIG_FILE: join(folder, 'rookery.json'), CONSOLE_PASSWORD: password };
  server = await createServer(readConfig({ ...environment, DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}` }));
  Logger.overrideLogger(['error']);
  await server.listen(0, '127.0.0.1');
  ({ port } = server.getHttpServer().address() as AddressInfo);
});
beforeEach(() => {
  said = [];
  vi.spyOn(Logger.prototype, 'log').mockImplementation((text: unknown) => void said.push(String(text)));
});
afterAll(async () => {
  await server.close();
  await receiver.close();
  rmSync(folder, { recursive: true });
});

/** What an administrator asks, and what is answered. */
async function ask(
  method: string,
  path: string,
  body?: unknown,
  authorization = `Bearer ${password}`,
): Promise<{ status: number; body: any }> {
  const answer = await fetch(`http://127.0.0.1:${port}/console/api/admin/${path}`, {
    method,
    headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text ? JSON.parse(text) : undefined };
}

async function statusOf({ id, key, secret }: { id: string; key: string; secret: string }): Promise<number> {
  const pusher = new Pusher({ appId: id, key, secret, host: '127.0.0.1', port: String(port), useTLS: false });
  return (await pusher.get({ path: '/channels' }).catch((error: { status: number }) => error)).status;
}

async function publishStatus(id: string, secretKey: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/publish_api/v1/instances/${id}/publishes/interests`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ interests: ['a'], web: { notification: { title: 'a' } } }),
  });
  return answer.status;
}

describe('an app', () => {
  it('is created with an id, a key and a strong secret that is shown once, and served from then on', async () => {
    const { status, body } = await ask('POST', 'apps', {});
    expect(status).toBe(201);
    expect(body).toMatchObject({ keys: [], origin: 'database', enabled: true, maxConnections: null });
    expect([body.key, body.secret]).toEqual([
      expect.stringMatching(/^[0-9a-f]{20}$/),
      expect.stringMatching(/^[0-9a-f]{64}$/),
    ]);
    expect(await statusOf(body)).toBe(200);
    (await SocketClient.connect(port, body)).close();
    const { secret: _, ...shown } = body;
    expect((await ask('GET', `apps/${body.id}`)).body).toEqual(shown);
    expect(said).toEqual([`The app "${body.id}" was created, by the console, from 127.0.0.1`]);
  });

  it('is edited, and the change reaches its open connections', async () => {
    const { body: app } = await ask('POST', 'apps', { id: 'edited' });
    const [alice, bob] = [await SocketClient.connect(port, app), await SocketClient.connect(port, app)];
    for (const each of [alice, bob]) await each.subscribe('private-room');
    const changes = { clientEvents: true, limits: { clientEventsPerSecond: 5 }, version: app.version };
    const { status, body } = await ask('PATCH', 'apps/edited', changes);
    expect([status, body]).toEqual([200, expect.objectContaining({ clientEvents: true, key: app.key })]);
    alice.send({ event: 'client-hi', channel: 'private-room', data: {} });
    await bob.next('client-hi');
    expect(said.at(-1)).toBe('The app "edited" was changed: clientEvents, limits, by the console, from 127.0.0.1');
    // Another administrator has read the earlier version.
    expect(await ask('PATCH', 'apps/edited', { tlsOnly: true, version: app.version })).toMatchObject({ status: 409 });
    expect((await ask('PATCH', 'apps/edited', { limits: null })).body).toMatchObject({ limits: null, tlsOnly: false });
    expect(await ask('PATCH', 'apps/edited', { enabled: false })).toMatchObject({ status: 200 });
    for (const each of [alice, bob]) expect(await each.closing()).toMatchObject({ code: 4003 });
    expect(await statusOf(app)).toBe(403);
    expect(said.at(-1)).toContain('was disabled');
  });

  it('keeps concurrent changes of different settings', async () => {
    await ask('POST', 'apps', { id: 'shared' });
    const changes = [{ clientEvents: true }, { subscriptionCount: true }, { tlsOnly: true }];
    const answers = await Promise.all(changes.map((change) => ask('PATCH', 'apps/shared', change)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await ask('GET', 'apps/shared')).body).toMatchObject(Object.assign({}, ...changes) as object);
  });

  it('gets another key; the previous one is valid until it is removed', async () => {
    const { body: app } = await ask('POST', 'apps', { id: 'rotated' });
    const { status, body: fresh } = await ask('POST', 'apps/rotated/rotate', {});
    expect(status).toBe(200);
    expect([await statusOf(app), await statusOf({ ...app, ...fresh })]).toEqual([200, 200]);
    expect((await ask('GET', 'apps/rotated')).body).toMatchObject({ key: fresh.key, keys: [app.key] });
    expect(await ask('DELETE', `apps/rotated/keys/${fresh.key}`)).toMatchObject({ status: 409 });
    expect(await ask('DELETE', 'apps/rotated/keys/unknown')).toMatchObject({ status: 404 });
    expect(await ask('DELETE', `apps/rotated/keys/${app.key}`)).toMatchObject({ status: 204 });
    expect([await statusOf(app), await statusOf({ ...app, ...fresh })]).toEqual([401, 200]);
    expect(said.join('\n')).not.toContain(fresh.secret);
  });

  it('gets another key; the previous one is valid for the chosen time', async () => {
    const { body: app } = await ask('POST', 'apps', { id: 'timed' });
    const { body: second } = await ask('POST', 'apps/timed/rotate', { oldValidForSeconds: 3600 });
    expect([await statusOf(app), await statusOf({ ...app, ...second })]).toEqual([200, 200]);
    const { body: shown } = await ask('GET', 'apps/timed');
    const until = Date.parse(shown.keysValidUntil[app.key]);
    expect(Math.abs(until - Date.now() - 3_600_000)).toBeLessThan(60_000);
    const { body: third } = await ask('POST', 'apps/timed/rotate', { oldValidForSeconds: 0 });
    expect(await statusOf({ ...app, ...second })).toBe(401);
    const refused = await SocketClient.open(port, { ...app, ...second });
    expect(await refused.closing()).toMatchObject({ code: 4001 });
    expect([await statusOf(app), await statusOf({ ...app, ...third })]).toEqual([200, 200]);
    expect((await ask('GET', 'apps/timed')).body.keys).toEqual([app.key]);
    for (const oldValidForSeconds of [-1, 1e9, 'long'])
      expect((await ask('POST', 'apps/timed/rotate', { oldValidForSeconds })).status).toBe(400);
    expect(await ask('PATCH', 'apps/timed', { keys: [] })).toMatchObject({ status: 400 });
  });

  it('gets another secret for the same key; both are good until the old one is removed', async () => {
    const webhooks = [{ url: receiver.url('/renewed'), events: ['channel_occupied'] }];
    const { body: app } = await ask('POST', 'apps', { id: 'renewed', webhooks });
    const { body: fresh } = await ask('POST', 'apps/renewed/rotate', { sameKey: true, oldValidForSeconds: 3600 });
    expect([fresh.key === app.key, fresh.secret === app.secret]).toEqual([true, false]);
    const renewed = { ...app, ...fresh };
    expect([await statusOf(app), await statusOf(renewed)]).toEqual([200, 200]);
    const clients = [await SocketClient.connect(port, app), await SocketClient.connect(port, renewed)];
    // Each signs with its own secret.
    for (const [index, client] of clients.entries()) await client.subscribe(`private-${index}`);
    await receiver.untilEvents('/renewed', 2);
    const { headers, rawBody } = receiver.at('/renewed')[0]!;
    const readers = [app, renewed].map(({ id, key, secret }) => new Pusher({ appId: id, key, secret, host: '' }));
    expect(readers.map((reader) => reader.webhook({ headers, rawBody }).isValid())).toEqual([true, false]);
    const { body: shown } = await ask('GET', 'apps/renewed');
    expect(shown).toMatchObject({ key: app.key, keys: [], keysValidUntil: {} });
    expect(shown.oldSecretsValidUntil).toEqual([expect.stringMatching(/^20\d\d-.*Z$/)]);
    expect(await ask('DELETE', `apps/renewed/keys/${app.key}`)).toMatchObject({ status: 204 });
    expect([await statusOf(app), await statusOf(renewed)]).toEqual([401, 200]);
    expect(await ask('DELETE', `apps/renewed/keys/${app.key}`)).toMatchObject({ status: 409 });
    expect((await ask('POST', 'apps/renewed/rotate', { sameKey: 'yes' })).status).toBe(400);
    expect(said.join('\n')).not.toContain(fresh.secret);
    for (const client of clients) client.close();
  });

  it('is removed: its clients are closed, and its id is unknown', async () => {
    const { body: app } = await ask('POST', 'apps', { id: 'removed' });
    const client = await SocketClient.connect(port, app);
    expect(await ask('DELETE', 'apps/removed')).toMatchObject({ status: 204 });
    expect(await client.closing()).toMatchObject({ code: 4001 });
    expect(await statusOf(app)).toBe(401);
    for (const method of ['GET', 'DELETE'])
      expect(await ask(method, 'apps/removed')).toEqual({ status: 404, body: { error: 'There is no app "removed"' } });
  });

  it('shows no secret, and keeps those that a change leaves hidden', async () => {
    const url = 'https://example.com/hook';
    const webhooks = [{ url, headers: { authorization: 'Bearer hook-secret' } }];
    const encryptionMasterKeyBase64 = Buffer.alloc(32, 7).toString('base64');
    const mirror = { url: 'https://example.com', secret: 'mirror-secret' };
    const { body: made } = await ask('POST', 'apps', { id: 'hiding', webhooks, encryptionMasterKeyBase64, mirror });
    const { body: shown } = await ask('GET', 'apps/hiding');
    expect(JSON.stringify(shown)).not.toMatch(
      new RegExp(`hook-secret|mirror-secret|${made.secret}|${encryptionMasterKeyBase64}`),
    );
    expect(shown.mirror).toEqual({ url: 'https://example.com', secret: '********' });
    expect(shown).toMatchObject({ webhooks: [{ url, headers: { authorization: '********' } }] });
    const edited = [...shown.webhooks, { url: 'https://example.com/other', headers: { authorization: '********' } }];
    expect(await ask('PATCH', 'apps/hiding', { webhooks: edited })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('webhooks[1].headers.authorization is hidden') as string },
    });
    await ask('PATCH', 'apps/hiding', { webhooks: [{ ...shown.webhooks[0], events: ['channel_occupied'] }] });
    const { AppsAdmin } = await import('rookery/channels');
    expect((await server.get(AppsAdmin).find('hiding')).settings).toMatchObject({
      webhooks: [{ url, events: ['channel_occupied'], headers: { authorization: 'Bearer hook-secret' } }],
      encryptionMasterKeyBase64,
    });
  });

  it('shows no credentials in URLs, and keeps those that a change leaves hidden', async () => {
    const url = 'https://user:url-password@example.com/hook?code=url-password';
    const mirror = { url: 'https://mirror:url-password@example.com/' };
    const { body: made } = await ask('POST', 'apps', { id: 'with-urls', webhooks: [{ url }], mirror });
    const { body: shown } = await ask('GET', 'apps/with-urls');
    expect(JSON.stringify([made, shown])).not.toContain('url-password');
    expect(shown).toMatchObject({
      webhooks: [{ url: 'https://********@example.com/hook?code=********' }],
      mirror: { url: 'https://********@example.com/' },
    });
    const webhooks = [{ ...shown.webhooks[0], events: ['channel_occupied'] }];
    expect(await ask('PATCH', 'apps/with-urls', { webhooks, mirror: shown.mirror })).toMatchObject({ status: 200 });
    const { AppsAdmin } = await import('rookery/channels');
    expect((await server.get(AppsAdmin).find('with-urls')).settings).toMatchObject({
      webhooks: [{ url, events: ['channel_occupied'] }],
      mirror,
    });
    expect(await ask('POST', 'apps', { id: 'copy', webhooks })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('webhooks[0].url has hidden credentials') as string },
    });
  });

  it.each([
    ['a setting that is none', { clientEvent: true }, 400, /^clientEvent is not a setting; known are id, key/],
    ['a value that is wrong', { maxConnections: -1 }, 400, /^maxConnections must be a whole number, got -1$/],
    ['a webhook without a URL', { webhooks: [{ url: 'x' }] }, 400, /^webhooks\[0\]\.url must be an http or https URL/],
    ['an id that no path can name', { id: 'a/b' }, 400, /^id must be 1 to 100 letters/],
    ['an id of the file', { id: 'file' }, 409, /is part of the configuration/],
    ['a key of the file', { key: 'file-key' }, 409, /An app of the configuration has the key "file-key"/],
  ])('is not created from %s', async (_, given, status, text) => {
    expect(await ask('POST', 'apps', given)).toEqual({
      status,
      body: { error: expect.stringMatching(text) as string },
    });
  });

  it('is not created with the id or key of another app in the database', async () => {
    await ask('POST', 'apps', { id: 'first', key: 'first-key' });
    expect(await ask('POST', 'apps', { id: 'first' })).toMatchObject({ status: 409 });
    expect(await ask('POST', 'apps', { id: 'second', key: 'first-key' })).toMatchObject({ status: 409 });
    expect(await ask('GET', 'apps/second')).toMatchObject({ status: 404 });
  });

  it.each([
    ['PATCH', 'apps/file', { enabled: false }],
    ['DELETE', 'apps/file', undefined],
    ['POST', 'apps/file/rotate', {}],
    ['PATCH', `instances/${pushOfFile.id.toUpperCase()}`, { enabled: false }],
    ['DELETE', `instances/${pushOfFile.id}`, undefined],
  ])('of the configuration can only be changed there: %s %s', async (method, path, body) => {
    expect(await ask(method, path, body)).toMatchObject({ status: 409 });
    expect([await statusOf(ofFile), await publishStatus(pushOfFile.id, pushOfFile.secretKey)]).toEqual([200, 200]);
  });

  it.each([
    [{ id: 'other' }, 'id cannot be changed'],
    [{ secret: 'mine' }, 'secret cannot be edited: rotate creates another'],
    [{ version: 'x' }, 'version must be the number from an earlier answer.'],
  ])('does not get %j by an edit', async (changes, error) => {
    expect(await ask('PATCH', 'apps/first', changes)).toEqual({ status: 400, body: { error } });
  });
});

describe('a push instance', () => {
  it('gets another key; the previous one is valid for the chosen time', async () => {
    const { body: made } = await ask('POST', 'instances', {});
    const { id, secretKey } = made as { id: string; secretKey: string };
    const { body: second } = await ask('POST', `instances/${id}/rotate`, { oldValidForSeconds: 3600 });
    expect([await publishStatus(id, secretKey), await publishStatus(id, second.secretKey)]).toEqual([200, 200]);
    const { body: shown } = await ask('GET', `instances/${id}`);
    expect(shown.keysValidUntil).toEqual({ [made.key]: expect.stringMatching(/^20\d\d-.*Z$/) });
    const { body: third } = await ask('POST', `instances/${id}/rotate`, { oldValidForSeconds: 0 });
    expect(await publishStatus(id, second.secretKey)).toBe(401);
    expect([await publishStatus(id, secretKey), await publishStatus(id, third.secretKey)]).toEqual([200, 200]);
    await ask('DELETE', `instances/${id}/keys/${made.key}`);
    expect((await ask('GET', `instances/${id}`)).body).toMatchObject({ keys: [], keysValidUntil: {} });
  });

  it('is created, edited, rotated, disabled and removed while it is served', async () => {
    const { status, body: made } = await ask('POST', 'instances', { publishesPerSecond: 50 });
    expect(status).toBe(201);
    const { id, secretKey } = made as { id: string; secretKey: string };
    expect(await publishStatus(id, secretKey)).toBe(200);
    const { body: fresh } = await ask('POST', `instances/${id}/rotate`, {});
    expect([await publishStatus(id, secretKey), await publishStatus(id, fresh.secretKey)]).toEqual([200, 200]);
    const { body: shown } = await ask('GET', `instances/${id}`);
    expect(shown).toMatchObject({ keys: [made.key], publishesPerSecond: 50, apns: null, enabled: true });
    expect(JSON.stringify(shown)).not.toContain(secretKey);
    expect(await ask('DELETE', `instances/${id}/keys/${made.key}`)).toMatchObject({ status: 204 });
    expect([await publishStatus(id, secretKey), await publishStatus(id, fresh.secretKey)]).toEqual([401, 200]);
    await ask('PATCH', `instances/${id}`, { enabled: false });
    expect(await publishStatus(id, fresh.secretKey)).toBe(403);
    await ask('PATCH', `instances/${id}`, { enabled: true, publishesPerSecond: null });
    expect(await publishStatus(id, fresh.secretKey)).toBe(200);
    expect(await ask('DELETE', `instances/${id}`)).toMatchObject({ status: 204 });
    expect(await publishStatus(id, fresh.secretKey)).toBe(404);
    expect(said.join('\n')).not.toContain(fresh.secretKey);
  });

  it('hides the keys of gateways, and keeps those that a change leaves hidden', async () => {
    const apns = { key: applePem(), keyId: 'K', teamId: 'T' };
    const { body: made } = await ask('POST', 'instances', { apns });
    expect(made.apns).toEqual({ ...apns, key: '********' });
    await ask('PATCH', `instances/${made.id}`, { apns: { ...made.apns, teamId: 'U' } });
    const { InstancesAdmin } = await import('rookery/push-device');
    const { settings } = await server.get(InstancesAdmin).find(made.id);
    expect(settings.apns).toEqual({ ...apns, teamId: 'U' });
  });

  it('shows no credentials in the URLs of webhooks, and keeps them', async () => {
    const webhook = {
      url: 'https://user:url-password@example.com/',
      secret: 's',
      events: ['v1.PublishToUsersAttempt'],
    };
    const { body: made } = await ask('POST', 'instances', { webhooks: [webhook] });
    expect(JSON.stringify(made)).not.toContain('url-password');
    const events = ['v1.UserNotificationOpen'];
    const changed = await ask('PATCH', `instances/${made.id}`, { webhooks: [{ ...made.webhooks[0], events }] });
    expect(changed).toMatchObject({ status: 200, body: { webhooks: [{ url: 'https://********@example.com/' }] } });
    const { InstancesAdmin } = await import('rookery/push-device');
    expect((await server.get(InstancesAdmin).find(made.id)).settings.webhooks).toEqual([{ ...webhook, events }]);
  });

  it('is listed beside those of the configuration', async () => {
    const { body } = await ask('GET', 'instances');
    expect(body.instances[0]).toMatchObject({ id: pushOfFile.id, origin: 'configuration', version: null });
    expect((await ask('GET', 'apps')).body.apps[0]).toMatchObject({ id: 'file', origin: 'configuration' });
  });
});

it('requires a session', async () => {
  for (const path of ['apps', 'instances']) {
    expect(await ask('GET', path, undefined, '')).toMatchObject({ status: 401 });
    expect(await ask('POST', path, {}, 'Bearer wrong')).toMatchObject({ status: 401 });
  }
});
