import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { answer } from '@rookery/client';
import { ClientsService } from 'rookery/channels';
import { Link, LinkedBroker } from '../support/linked.broker.js';
import { PusherJs } from '../support/pusher-js.js';
import { pusherJsVersions } from '../support/pusher-js-versions.js';
import { SocketClient } from '../support/socket-client.js';
import { testApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { startGames } from './game-host.js';

type Host = Awaited<ReturnType<typeof startGames>>;
let hosts: readonly [Host, Host];

/** Two processes: the first asks. */
beforeAll(async () => {
  const link = new Link();
  const start = () => startGames({ broker: { useValue: new LinkedBroker(link) } });
  hosts = [await start(), await start()];
});
afterEach(() => hosts.forEach((host) => host.disconnect()));
afterAll(() => Promise.all(hosts.map((host) => host.close())));

const ask = (to: Parameters<ClientsService['ask']>[1], name: string, data?: unknown, timeoutMs?: number) =>
  hosts[0].app.get(ClientsService).ask(testApp.id, to, name, data, timeoutMs === undefined ? {} : { timeoutMs });

/** A page of a user, signed in. */
async function page(user: string, host = hosts[1], Pusher = PusherJs): Promise<PusherJs> {
  const client = host.connect(user, Pusher);
  const signedIn = new Promise((resolve) => client.bind('pusher:signin_success', resolve));
  client.signin();
  await signedIn;
  return client;
}

it.each(pusherJsVersions)("gets the answer of a user's page at another process, of pusher-js %s", async (_, Pusher) => {
  const app = testApp.id;
  const pusher = await page('alice', hosts[1], Pusher);
  const clients = hosts[0].app.get(ClientsService);
  answer(pusher, 'confirm', async ({ text }) => text === 'Really?');
  const isSure = await clients.ask(app, 'alice', 'confirm', { text: 'Really?' }, { timeoutMs: 5000 });
  expect(isSure).toBe(true);
  expect(await ask({ socketId: pusher.connection.socket_id }, 'confirm', { text: 'What?' })).toBe(false);
});

it('gets the first answer of several pages', async () => {
  const [slow, fast] = [await page('alice'), await page('alice', hosts[0])];
  let end = (): void => {};
  answer(slow, 'where', () => new Promise<void>((resolve) => (end = resolve)));
  answer(fast, 'where', () => 'here');
  expect(await ask('alice', 'where')).toBe('here');
  end();
});

it('asks only pages of the user, and only what they answer', async () => {
  const [alice, bob] = [await page('alice'), await page('bob')];
  const asked: string[] = [];
  for (const [name, client] of [
    ['alice', alice],
    ['bob', bob],
  ] as const)
    client.bind('rookery:ask', () => asked.push(name));
  const stop = answer(alice, 'confirm', () => true);
  expect(await ask('alice', 'confirm')).toBe(true);
  expect(asked).toEqual(['alice']);
  stop();
  await expect(ask('alice', 'confirm', null, 50)).rejects.toMatchObject({ reason: 'timeout' });
});

it('fails at once when nobody is there, with the reason of the page, and for data that is too large', async () => {
  await expect(ask('nobody', 'confirm')).rejects.toMatchObject({ name: 'AskFailed', reason: 'absent' });
  answer(await page('alice'), 'confirm', () => Promise.reject(new Error('The dialog is closed')));
  await expect(ask('alice', 'confirm')).rejects.toMatchObject({ reason: 'refused', message: 'The dialog is closed' });
  await expect(ask('alice', 'confirm', 'x'.repeat(10_239))).rejects.toThrow('no JSON of up to 10240 bytes');
});

it('takes no answer of a client that was not asked', async () => {
  const alice = await page('alice');
  const ids: string[] = [];
  alice.bind('rookery:ask', ({ id }: { id: string }) => ids.push(id));
  const asked = ask('alice', 'confirm', null, 300).catch((error: unknown) => error);
  await until(() => ids.length === 1, 'the page was asked');
  const mallory = await SocketClient.connect(hosts[1].port);
  mallory.send({ event: 'rookery:answer', data: { id: ids[0], data: 'forged' } });
  mallory.send({ event: 'rookery:answer', data: { data: 'without an id' } });
  expect(await mallory.next('pusher:error')).toMatchObject({
    data: { message: 'Invalid message: id must be a string' },
  });
  expect(await asked).toMatchObject({ reason: 'timeout' });
  mallory.close();
});
