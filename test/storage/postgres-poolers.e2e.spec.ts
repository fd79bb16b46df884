import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Membership, openDatabase, TypeOrmJobStore } from 'rookery/internal/typeorm';
import { usePostgres } from '../support/databases.js';
import { describePostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

describePostgres('a cluster behind a pooler that passes no notifications', () => {
  const { url } = usePostgres();
  const pooler = createServer((client) => {
    const server = connect(Number(new URL(url()).port), '127.0.0.1');
    client.pipe(server);
    let unread = Buffer.alloc(0);
    server.on('data', (data) => {
      unread = Buffer.concat([unread, data]);
      // Each message is a type, its length, and the rest.
      for (let end; unread.length >= 5 && unread.length >= (end = 1 + unread.readInt32BE(1));) {
        if (unread[0] !== 'A'.charCodeAt(0)) client.write(unread.subarray(0, end));
        unread = unread.subarray(end);
      }
    });
    for (const socket of [client, server]) socket.on('error', () => socket.destroy());
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  });
  beforeAll(async () => {
    pooler.listen(0, '127.0.0.1');
    await once(pooler, 'listening');
  });
  afterAll(() => pooler.close());

  const pooled = (): string => {
    const through = new URL(url());
    through.port = String((pooler.address() as AddressInfo).port);
    return through.href;
  };

  it('is refused with one line that names the setting', async () => {
    const database = await openDatabase(pooled());
    await expect(Membership.of(database)).rejects.toThrow(/^TypeOrmStorageModule: url: .*listenUrl/);
    await database.close();
  });

  it('begins where the URL of PostgreSQL itself is named', async () => {
    const database = await openDatabase(pooled(), undefined, url());
    const membership = await Membership.of(database);
    await membership.onModuleInit();
    expect(membership.isAlone).toBe(true);
    await membership.onApplicationShutdown();
    await database.close();
  });

  it('does not count as one that announces jobs: others are polled for', async () => {
    const announced: string[] = [];
    const watched = async (name: string, ...opened: Parameters<typeof openDatabase>) => {
      const database = await openDatabase(...opened);
      const stop = new TypeOrmJobStore(database, 'letters').watch(() => announced.push(name))!;
      return async () => {
        await stop();
        await database.close();
      };
    };
    const through = await watched('through it', pooled());
    const past = await watched('past it', pooled(), undefined, url());
    const from = await openDatabase(pooled());
    await until(() => announced.length === 1, 'the one that is past it would hear of jobs');
    const job = { id: 'job', owner: 'app', key: 'key', dueAt: 0, data: '', state: '' };
    const sender = new TypeOrmJobStore(from, 'letters');
    await sender.add([job]);
    await until(() => announced.length === 2, 'it hears of one');
    expect(announced).toEqual(['past it', 'past it']);
    await sender.close();
    for (const end of [through, past, () => from.close()]) await end();
  });
});
