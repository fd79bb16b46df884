import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { unfinishedInput } from '#http';
import { ChannelsMetrics } from 'rookery/channels';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { newHttpId } from '../support/http-client.js';
import { clientFrame, RawClient, upgradeRequest } from '../support/raw-client.js';
import { until } from '../support/until.js';

let server: ChannelsServer;
const clients: RawClient[] = [];
const { most, patienceMs } = unfinishedInput;
beforeAll(async () => {
  const limits = { messageMs: 1000, processInputBytes: 600_000 };
  server = await startChannels({ apps: [testApp], trustProxy: '127.0.0.1', bypassRouter: true, limits });
});
afterEach(() => {
  for (const { socket } of clients.splice(0)) socket.destroy();
});
afterAll(async () => {
  await server.close();
  // The limits of the process are not those of an application that has closed.
  expect([unfinishedInput.most, unfinishedInput.patienceMs]).toEqual([most, patienceMs]);
});

const kept = (client: RawClient): RawClient => {
  clients.push(client);
  return client;
};

async function connect(address: string): Promise<RawClient> {
  const client = kept(await RawClient.open(server.port));
  const request = upgradeRequest(`/app/${testApp.key}?protocol=7`);
  client.write(request.replace('\r\n', `\r\nX-Forwarded-For: ${address}\r\n`));
  await until(() => client.received.includes('connection_established'), 'it is connected');
  client.received = Buffer.alloc(0);
  return client;
}

const metric = async (name: string): Promise<number> => {
  const text = await server.app.get(ChannelsMetrics).registry.metrics();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`rookery_channels_${name} `))
      ?.split(' ')[1],
  );
};
const held = () => metric('held{what="inputBytes"}');
const message = (bytes: number): Buffer => clientFrame(1, `"${'x'.repeat(bytes - 2)}"`);

describe('a message of a WebSocket client', () => {
  it('ends its connection when it does not arrive in time, however often a byte of it does', async () => {
    const client = await connect('1.0.0.1');
    const bytes = message(100_000);
    let at = 0;
    await until(() => {
      client.write(bytes.subarray(at, (at += 1)));
      return client.closeCode !== undefined;
    }, 'it is closed');
    expect(client.closeCode).toBe(4100);
    expect(await metric('limits_reached_total{limit="messageMs"}')).toBe(1);
  });

  it('is kept until it is complete, if most is kept for others', async () => {
    const bystander = await connect('1.0.0.2');
    const own = message(90_000);
    bystander.write(own.subarray(0, 80_000));
    const attackers = await Promise.all(Array.from({ length: 10 }, () => connect('1.0.0.3')));
    for (const attacker of attackers) attacker.write(message(120_000).subarray(0, 110_000));
    await until(
      () => attackers.filter(({ closeCode }) => closeCode === 4100).length >= 5,
      'those with most are closed',
    );
    expect(await held()).toBeLessThanOrEqual(600_000);
    bystander.write(own.subarray(80_000));
    await until(() => bystander.received.includes('pusher:error'), 'it is handled');
    expect(bystander.closeCode).toBeUndefined();
    for (const { socket } of clients) socket.destroy();
    await until(async () => (await held()) === 0, 'nothing is kept');
  });
});

/** A query that only the signature of the body can refuse. */
const query = (changed: object = {}): string => {
  const seconds = Math.floor(Date.now() / 1000);
  const parameters = { auth_key: testApp.key, auth_timestamp: seconds, auth_version: '1.0', ...changed };
  return new URLSearchParams(
    Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
};

/** A request of which so many bytes are sent. */
async function sends(target: string, length: number, bytes: number, address = ''): Promise<RawClient> {
  const client = kept(await RawClient.open(server.port));
  const forwarded = address && `X-Forwarded-For: ${address}\r\n`;
  const head = `POST ${target} HTTP/1.1\r\nHost: a\r\n${forwarded}Content-Length: ${length}\r\n\r\n`;
  client.write(`${head}${'x'.repeat(bytes)}`);
  return client;
}

describe.each([
  ['events', 'a trigger, which we read ourselves'],
  ['users/alice/terminate_connections', 'a request that Node reads'],
])('the body of a request (%s)', (path) => {
  const target = (changed?: object) => `/apps/${testApp.id}/${path}?${query(changed)}`;

  it('is refused with 503 when too much is incomplete, the largest first', async () => {
    const bystander = await sends(target(), 10_000, 9000);
    const attackers = await Promise.all(Array.from({ length: 5 }, () => sends(target(), 400_000, 250_000)));
    const refused = (): number => attackers.filter(({ received }) => received.includes('HTTP/1.1 503')).length;
    await until(() => refused() >= 3, 'too much is refused');
    expect(await held()).toBeLessThanOrEqual(600_000);
    bystander.write('x'.repeat(1000));
    await until(() => bystander.received.includes('HTTP/1.1 4'), 'it is complete, and read');
    for (const { socket } of clients) socket.destroy();
    await until(async () => (await held()) === 0, 'nothing is kept');
  });

  it.each([
    [{ auth_key: 'nobody' }, 'Unknown auth_key'],
    [{ auth_timestamp: 1 }, 'Timestamp expired'],
    [{ auth_version: '2.0' }, 'Version not supported'],
  ])('is not kept if the head alone refuses it: %j', async (changed, reason) => {
    const client = await sends(target(changed), 400_000, 300_000);
    const other = await sends(target(), 400_000, 20_000);
    await until(async () => (await held()) > 0, 'the other one is kept');
    expect(await held()).toBeLessThanOrEqual(20_000 + 300);
    client.write('x'.repeat(100_000));
    await until(() => client.received.includes(reason), 'it is refused');
    expect(client.received.toString()).toMatch(/^HTTP\/1\.1 401 /);
    // The connection goes on.
    client.received = Buffer.alloc(0);
    client.write(`POST ${target({ auth_key: 'other' })} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}`);
    await until(() => client.received.includes('Unknown auth_key'), 'the next one is answered');
    other.socket.destroy();
    await until(async () => (await held()) === 0, 'nothing is kept');
  });
});

it.each([
  ['a trigger', () => `/apps/${testApp.id}/events?${query()}`],
  ['texts of an HTTP transport', (id: string) => `/pusher/app/${testApp.key}/${id}/xhr_send`],
])('counts %s by the client behind the proxy', async (_, target) => {
  const polls: AbortController[] = [];
  const open = async (): Promise<string> => {
    const id = newHttpId();
    const { signal } = polls[polls.push(new AbortController()) - 1]!;
    await fetch(`http://127.0.0.1:${server.port}/pusher/app/${testApp.key}/${id}/xhr_streaming`, {
      method: 'POST',
      signal,
    });
    return id;
  };
  const bystander = await sends(target(await open()), 160_000, 150_000, '1.0.0.2');
  await until(async () => (await held()) >= 150_000, 'it is kept');
  const attackers: RawClient[] = [];
  for (let n = 0; n < 10; n++) attackers.push(await sends(target(await open()), 110_000, 100_000, '1.0.0.3'));
  await until(() => attackers.filter(({ received }) => received.includes('HTTP/1.1')).length >= 4, 'they are refused');
  expect(bystander.received.toString()).toBe('');
  expect(await held()).toBeLessThanOrEqual(600_000);
  bystander.write('x'.repeat(10_000));
  await until(() => bystander.received.includes('HTTP/1.1 4'), 'it is complete, and read');
  for (const poll of polls) poll.abort();
  for (const { socket } of clients) socket.destroy();
  await until(async () => (await held()) === 0, 'nothing is kept');
});
