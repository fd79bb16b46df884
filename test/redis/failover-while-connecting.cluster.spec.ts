import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { settingsOf } from '#common';
import { RedisConnection, RedisSettings } from 'rookery/redis';
import { gate } from '../support/awkward.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { until } from '../support/until.js';

/** A sentinel whose answers wait for the test. */
class TestSentinel {
  asked = 0;
  /** Called before each answer about the master. */
  beforeAnswer: (() => Promise<void>) | undefined;
  private readonly listeners = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly masterPort: number,
  ) {
    server.on('connection', (socket) => {
      socket.on('error', () => undefined);
      socket.on('close', () => this.listeners.delete(socket));
      socket.on('data', (data) => void this.answer(socket, data.toString()));
    });
  }

  static async start(masterPort: number): Promise<TestSentinel> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TestSentinel(server, masterPort);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get hasListeners(): boolean {
    return this.listeners.size > 0;
  }

  announceFailover(): void {
    for (const socket of this.listeners) socket.write(text('message', '+switch-master', 'rookery'));
  }

  close(): void {
    this.server.close();
    for (const socket of this.listeners) socket.destroy();
  }

  private async answer(socket: Socket, data: string): Promise<void> {
    for (const command of data.split(/\*\d+\r\n/).slice(1)) {
      const words = command.split('\r\n').filter((_, i) => i % 2 === 1);
      if (words[0] === 'subscribe') {
        this.listeners.add(socket);
        socket.write(`*3\r\n$9\r\nsubscribe\r\n$14\r\n+switch-master\r\n:1\r\n`);
      } else if (words[0] === 'sentinel' && words[1] === 'get-master-addr-by-name') {
        this.asked++;
        await this.beforeAnswer?.();
        socket.write(text('127.0.0.1', String(this.masterPort)));
      } else if (words[0] === 'sentinel') socket.write('*0\r\n');
      else socket.write('+OK\r\n');
    }
  }
}

/** An answer of strings, as Redis writes it. */
const text = (...words: string[]): string =>
  `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;

describeRedis('a failover that is announced while a process asks for the master', () => {
  let redis: TestRedis;
  let sentinel: TestSentinel;
  let connection: RedisConnection;
  beforeAll(async () => {
    redis = await TestRedis.start();
    sentinel = await TestSentinel.start(redis.port);
    const url = `redis+sentinel://127.0.0.1:${sentinel.port}/rookery`;
    connection = await RedisConnection.open(settingsOf(RedisSettings, { url }));
  });
  afterAll(async () => {
    connection.close();
    sentinel.close();
    await redis.stop();
  });

  it('does not keep it from connecting', async () => {
    await until(() => sentinel.hasListeners, 'the process listens for failovers');
    const answer = gate();
    sentinel.beforeAnswer = async () => void (await answer.around(() => undefined));
    await redis.command('CLIENT', 'KILL', 'TYPE', 'NORMAL', 'SKIPME', 'YES');
    await answer.reached;
    sentinel.announceFailover();
    await until(() => !sentinel.hasListeners, 'the process has heard of the failover');
    const { asked } = sentinel;
    sentinel.beforeAnswer = undefined;
    answer.open();
    const ping = () => connection.ask((client) => client.ping()).catch(String);
    await until(async () => (await ping()) === 'PONG', 'the process is connected again');
    expect(sentinel.asked).toBeGreaterThan(asked);
  });
});
