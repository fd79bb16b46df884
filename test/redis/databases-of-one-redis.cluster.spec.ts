import { type INestApplication, Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ChannelsModule } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { RedisConnection, RedisModule, RedisSettings } from 'rookery/redis';
import { overSocket, signed } from '../support/channels-api.js';
import { testApp } from '../support/channels-server.js';
import { createHost, listen } from '../support/embedding-host.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

/** Redis's pub/sub reaches the clients of all databases. */
describeRedis('two databases of one Redis', () => {
  let redis: TestRedis;
  const apps: INestApplication[] = [];
  beforeAll(async () => void (redis = await TestRedis.start()));
  afterEach(() => Promise.all(apps.splice(0).map((app) => app.close())));
  afterAll(() => redis.stop());

  /** @returns the port of a server on a database */
  async function serverOn(database: number): Promise<number> {
    const { app } = await createHost({
      imports: [
        RedisModule.forRoot({ url: `${redis.url}/${database}` }),
        PresenceModule.forRoot(),
        ChannelsModule.forRoot({
          apps: [{ ...testApp, clientEvents: true, subscriptionCount: true, watchlist: true }],
        }),
      ],
    });
    apps.push(app);
    return (await listen(app)).port;
  }

  const call = (port: number, path: string, body: unknown = {}) => overSocket({ port }, signed('POST', path, body));
  const trigger = (port: number, channel: string) => call(port, '/events', { name: 'event', channel, data: 'x' });

  it('are two worlds: nothing that happens on one reaches the clients of the other', async () => {
    const [here, there] = [await serverOn(0), await serverOn(1)];
    const other = await SocketClient.connect(there);
    await other.signin({ id: 'alice', watchlist: ['bob'] });
    for (const channel of ['news', 'private-room', '#server-to-user-alice']) await other.subscribe(channel);
    await other.subscribe('presence-room', { user_id: 'alice' });
    await other.settled('');
    other.frames.splice(0);

    const [one, two] = [await SocketClient.connect(here), await SocketClient.connect(here)];
    await one.signin({ id: 'bob' });
    for (const client of [one, two]) for (const channel of ['news', 'private-room']) await client.subscribe(channel);
    await one.subscribe('presence-room', { user_id: 'bob' });
    one.send({ event: 'client-typing', channel: 'private-room', data: '1' });
    await two.next('client-typing');
    await trigger(here, 'news');
    await two.next('event');
    await trigger(here, '#server-to-user-alice');
    expect((await call(here, '/users/alice/terminate_connections')).status).toBe(200);
    // What comes to the other at all has come by now.
    await trigger(there, 'news');
    await other.next('event');
    expect(await other.settled('')).toEqual([]);
    expect(other.frames).toEqual([]);
    expect(other.closed).toBeUndefined();
    for (const client of [one, two, other]) client.close();
  });

  it('reach the clients of all servers on the same database', async () => {
    const [here, there] = [await serverOn(1), await serverOn(1)];
    const client = await SocketClient.connect(there);
    await client.subscribe('news');
    await trigger(here, 'news');
    await client.next('event');
    client.close();
  });

  it('are as many as Redis has: another one ends the start with one line', async () => {
    Logger.overrideLogger(false);
    const url = redis.url.replace('//', '//:@');
    const module = { imports: [PresenceModule.forRoot(), RedisModule.forRoot({ url: `${url}/99` })] };
    await expect(Test.createTestingModule(module).compile()).rejects.toThrow(
      /^RedisModule: url redis:\/\/….*\/99: database 99 cannot be selected: ERR DB index is out of range$/,
    );
  });

  it('are never confused, even if Redis has fewer of them after a restart', async () => {
    const few = await TestRedis.start();
    const settings = Object.assign(new RedisSettings(), { url: `${few.url}/9`, commandTimeoutSeconds: 1 });
    const connection = await RedisConnection.open(settings);
    await few.kill();
    await few.start('--databases', '4');
    const answers = connection.ask((client) => client.set('written', '1'));
    await expect(answers).rejects.toThrow();
    await until(() => connection.awaySeconds > 0.5, 'it is away');
    await expect(connection.ask((client) => client.set('written', '1'))).rejects.toThrow();
    expect(await few.command('DBSIZE')).toBe(0);
    await few.kill();
    await few.start();
    await until(
      async () =>
        connection
          .ask((client) => client.set('written', '1'))
          .then(
            () => true,
            () => false,
          ),
      'it is back',
    );
    expect(await few.command('DBSIZE')).toBe(0);
    connection.close();
    await few.stop();
  });
});
