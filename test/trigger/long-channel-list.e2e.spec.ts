import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ChannelRepository, MemoryChannelRepository, signedQuery } from 'rookery/channels';
import { signed } from '../support/channels-api.js';
import { testApp } from '../support/channels-server.js';
import { platforms, startHost } from '../support/channels-host.js';
import { until } from '../support/until.js';

const names = Array.from({ length: 50_000 }, (_, i) => `presence-${i}-`.padEnd(200, 'x'));

describe.each(Object.keys(platforms) as (keyof typeof platforms)[])('a long list of channels, on %s', (platform) => {
  let host: Awaited<ReturnType<typeof startHost>>;
  let channels: MemoryChannelRepository;
  const sockets: Socket[] = [];
  /** The pages that were read, and the lists that came to an end. */
  const seen = { pages: 0, ended: 0 };

  beforeAll(async () => {
    host = await startHost(platform, [], () => undefined);
    (host.app.getHttpServer() as Server).on('connection', (socket) => sockets.push(socket));
    channels = host.app.get<ChannelRepository, MemoryChannelRepository>(ChannelRepository);
    for (const name of names) channels.occupy(testApp.id, name, 'node', 1);
    const occupied = channels.occupied.bind(channels);
    vi.spyOn(channels, 'occupied').mockImplementation(function* (...args) {
      try {
        for (const page of occupied(...args)) {
          seen.pages += 1;
          yield page;
        }
      } finally {
        seen.ended += 1;
      }
    });
  });
  afterAll(() => host.close());

  const urlOf = (query = {}) => `http://127.0.0.1:${host.port}${signed('GET', '/channels', undefined, { query }).url}`;
  const head = (method: 'GET' | 'HEAD', close = '') => {
    const path = `/apps/${testApp.id}/channels`;
    return `${method} ${path}?${signedQuery(testApp, { method, path })} HTTP/1.1\r\nHost: a\r\n${close}\r\n`;
  };

  it('is whole', async () => {
    const answer = await fetch(urlOf());
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(Object.keys(((await answer.json()) as { channels: object }).channels).toSorted()).toEqual(names.toSorted());
  });

  it('has the counts that were asked for', async () => {
    const query = { filter_by_prefix: 'presence-1', info: 'user_count' };
    const { channels: counted } = (await (await fetch(urlOf(query))).json()) as { channels: Record<string, object> };
    const expected = names.filter((name) => name.startsWith('presence-1'));
    expect(counted).toEqual(Object.fromEntries(expected.map((name) => [name, { user_count: 0 }])));
  });

  it('is read from the repository as fast as the client reads, and left when the client goes', async () => {
    const before = { ...seen };
    const client = connect(host.port, '127.0.0.1');
    client.write(head('GET'));
    await until(() => sockets.at(-1)?.writableNeedDrain === true, 'the client has to read first');
    expect(seen.pages - before.pages).toBeLessThan(50);
    expect(sockets.at(-1)!.writableLength).toBeLessThan(1_000_000);
    client.destroy();
    await until(() => seen.ended > before.ended, 'the list is left');
    expect(seen.pages - before.pages).toBeLessThan(50);
  });

  it('is not read for a client that asks for its head', async () => {
    const before = { ...seen };
    const client = connect(host.port, '127.0.0.1');
    client.write(head('HEAD', 'Connection: close\r\n'));
    const [text] = (await once(client, 'data')) as [Buffer];
    expect(text.toString()).toMatch(/^HTTP\/1\.1 200 OK/);
    await until(() => seen.ended > before.ended, 'the list is left');
    expect(seen.pages - before.pages).toBeLessThan(50);
    client.destroy();
  });

  it('breaks off, rather than looking whole, if the repository fails in between', async () => {
    vi.mocked(channels.occupied).mockImplementationOnce(function* () {
      for (let at = 0; at < 3; at++) yield names.slice(1000 * at, 1000 * at + 1000);
      throw new Error('The repository is away');
    });
    await expect(fetch(urlOf()).then((answer) => answer.text())).rejects.toThrow();
  });

  it('names a channel once that changes while it is read', async () => {
    vi.mocked(channels.occupied).mockImplementationOnce(function* () {
      yield ['a', 'b'];
      yield ['b', 'c'];
      yield ['a'];
    });
    expect(await (await fetch(urlOf())).text()).toBe('{"channels":{"a":{},"b":{},"c":{}}}');
  });
});
