import { afterAll, beforeAll, expect, it } from 'vitest';
import { ChannelsModule } from 'rookery/channels';
import { ConsoleModule } from '@rookery/console';
import { PresenceModule } from 'rookery/presence';
import { testApp } from '../support/channels-server.js';
import { ConsoleClient } from '../support/console-client.js';
import { startApp } from '../support/push-app.js';
import { SocketClient } from '../support/socket-client.js';

const password = 'a password for tests';
let app: Awaited<ReturnType<typeof startApp>>;

beforeAll(async () => {
  const channels = ChannelsModule.forRoot({ apps: [testApp] });
  app = await startApp([PresenceModule.forRoot(), channels, ConsoleModule.forRoot({ password })], 'Express');
});
afterAll(() => app.close());

const ask = (method: string, path: string, headers: Record<string, string> = {}, body?: object) =>
  fetch(`${app.url}/console/api/${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });

it('supports signing in, viewing, changing and signing out on Express too', async () => {
  expect((await ask('GET', 'overview')).status).toBe(401);
  expect((await ask('POST', 'session', {}, { password: 'a wrong password' })).status).toBe(401);
  const signIn = await ask('POST', 'session', {}, { password });
  expect(signIn.status).toBe(204);
  const setCookie = signIn.headers.get('set-cookie')!;
  expect(setCookie).toMatch(/; Path=\/console; HttpOnly; SameSite=Strict/);
  const cookie = setCookie.split(';')[0]!;
  const session: any = await (await ask('GET', 'session', { cookie })).json();
  expect(session).toMatchObject({ signedIn: true, needsPassword: true, csrfToken: expect.any(String) });
  const overview = await ask('GET', 'overview', { cookie });
  expect(overview.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await overview.json()).toMatchObject({ apps: [{ id: testApp.id, key: testApp.key }], missingNodes: 0 });
  const event = { channels: ['a'], name: 'e', data: '{}' };
  expect((await ask('POST', `apps/${testApp.id}/events`, { cookie }, event)).status).toBe(403);
  const token = { cookie, 'x-csrf-token': session.csrfToken as string };
  expect((await ask('POST', `apps/${testApp.id}/events`, token, event)).status).toBe(200);
  const signOut = await ask('DELETE', 'session', token);
  expect([signOut.status, signOut.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
});

it('streams activities on Express too, until the page is closed', async () => {
  const console_ = new ConsoleClient(app.port, password);
  const view = await console_.live(testApp.id);
  expect(view.answer.headers).toMatchObject({ 'cache-control': expect.stringContaining('no-store') });
  expect(view.answer.headers['content-type']).toMatch(/^text\/event-stream/);
  const alice = await SocketClient.connect(app.port);
  await alice.subscribe('news');
  await view.next('subscribed', { socketId: alice.socketId, channel: 'news' });
  const { json } = await console_.ask('POST', `apps/${testApp.id}/events`, {
    channels: ['news'],
    name: 'headline',
    data: '{}',
  });
  await alice.next('headline');
  expect(await view.next('event', { name: 'headline' })).toMatchObject({ id: json.id, data: '{}', reached: 1 });
  console_.close();
  alice.close();
});
