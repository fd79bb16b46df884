import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ChannelsMetrics } from 'rookery/channels';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { clientFrame, RawClient, upgradeRequest } from '../support/raw-client.js';
import { until } from '../support/until.js';

let server: ChannelsServer;
const clients: RawClient[] = [];
beforeAll(async () => {
  const limits = { messageMs: 1000, processInputBytes: 600_000 };
  server = await startChannels({ apps: [testApp], trustProxy: '127.0.0.1', limits });
});
afterEach(() => {
  for (const { socket } of clients.splice(0)) socket.destroy();
});
afterAll(() => server.close());

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

describe.each([
  ['events', 'a trigger, which we read ourselves'],
  ['users/alice/terminate_connections', 'a request that Node reads'],
])('the body of a request (%s)', (path) => {
  const head = `POST /apps/${testApp.id}/${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`;

  it('is refused with 503 when too much is incomplete, the largest first', async () => {
    const sends = async (length: number, bytes: number): Promise<RawClient> => {
      const client = kept(await RawClient.open(server.port));
      client.write(`${head}Content-Length: ${length}\r\n\r\n${'x'.repeat(bytes)}`);
      return client;
    };
    const bystander = await sends(10_000, 9000);
    const attackers = await Promise.all(Array.from({ length: 5 }, () => sends(400_000, 250_000)));
    const refused = (): number => attackers.filter(({ received }) => received.includes('HTTP/1.1 503')).length;
    await until(() => refused() >= 3, 'too much is refused');
    expect(await held()).toBeLessThanOrEqual(600_000);
    bystander.write('x'.repeat(1000));
    await until(() => bystander.received.includes('HTTP/1.1 4'), 'it is complete, and read');
    for (const { socket } of clients) socket.destroy();
    await until(async () => (await held()) === 0, 'nothing is kept');
  });
});
