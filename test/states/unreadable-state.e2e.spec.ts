import { Injectable, Logger, NotFoundException } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ChannelState, type StateRequest } from 'rookery/channels';
import { startHost } from '../support/channels-host.js';
import { testApp } from '../support/channels-server.js';
import { joined, PusherJs } from '../support/pusher-js.js';
import { SocketClient } from '../support/socket-client.js';

@Injectable()
class Unreadable {
  @ChannelState('unreadable.{kind}')
  read({ params: { kind } }: StateRequest): unknown {
    switch (kind) {
      case 'hangs':
        return new Promise(() => {});
      case 'unknown':
        throw new NotFoundException('There is no such shop');
      case 'large':
        return 'x'.repeat(300_000);
      case 'nothing':
        return undefined;
      default:
        throw new Error('The database is away');
    }
  }
}

const clients: PusherJs[] = [];

/** Stock pusher-js. */
function connect(wsPort: number): PusherJs {
  const client = new PusherJs(testApp.key, {
    cluster: '',
    wsHost: '127.0.0.1',
    wsPort,
    forceTLS: false,
    enabledTransports: ['ws'],
  });
  clients.push(client);
  return client;
}

describe('a state that cannot be read', () => {
  let host: Awaited<ReturnType<typeof startHost>>;
  beforeAll(async () => {
    host = await startHost('Fastify', [Unreadable], () => {}, { states: { timeoutMs: 1500, bytes: 200_000 } });
  });
  afterAll(() => host.close());
  afterEach(() => {
    for (const client of clients.splice(0)) client.disconnect();
    vi.restoreAllMocks();
  });

  const refusalOf = async (kind: string): Promise<unknown> =>
    joined(connect(host.port), `unreadable.${kind}`).then(
      () => 'confirmed',
      (error: unknown) => error,
    );
  const cannot = (kind: string) => ({
    type: 'Error',
    error: `The state of unreadable.${kind} cannot be read`,
    status: 503,
  });

  it('refuses the subscription, and is logged once for all who waited for it', async () => {
    const logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    expect(await Promise.all(['fails', 'fails', 'fails'].map(refusalOf))).toEqual(Array(3).fill(cannot('fails')));
    expect(logged.mock.calls.length).toBeLessThanOrEqual(3);
    expect(logged.mock.calls[0]![0]).toMatch(
      /^Unreadable\.read did not read the state of unreadable\.fails \(app .*\): Error: The database is away/,
    );
  });

  it('refuses it with the message of an HTTP exception', async () => {
    expect(await refusalOf('unknown')).toEqual({ type: 'Error', error: 'There is no such shop', status: 404 });
  });

  it('refuses it when the method does not answer in time, or too much', async () => {
    const logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    expect(await refusalOf('hangs')).toEqual(cannot('hangs'));
    expect(await refusalOf('large')).toEqual(cannot('large'));
    expect(logged.mock.calls.map(([text]) => String(text).split('\n')[0])).toEqual([
      expect.stringContaining('not done within 1500 ms'),
      expect.stringContaining('it has 300002 bytes, more than states.bytes (200000)'),
    ]);
  });

  it('is logged in a few lines, however many channels it is refused on', async () => {
    const logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    const kinds = Array.from({ length: 50 }, (_, n) => `away-${n}`);
    expect(await Promise.all(kinds.map(refusalOf))).toEqual(kinds.map(cannot));
    expect(logged.mock.calls.length).toBeLessThanOrEqual(5);
  });

  it('is null when the method returns nothing', async () => {
    const client = await SocketClient.connect(host.port);
    client.sendSubscribe('unreadable.nothing');
    expect((await client.next('rookery:state')).data).toBe('{"state":null}');
    client.close();
  });
});

describe('a method that reads a state', () => {
  const start = (Provider: new () => object) =>
    startHost('Fastify', [Provider], () => {}).then(
      ({ close }) => close(),
      (error: unknown) => (error as Error).message,
    );

  it.each([
    [
      'cache-news',
      "ChannelsModule: @ChannelState('cache-news') of Wrong.read is for cache channels, which keep their last event",
    ],
    ['private-encrypted-a', 'is for encrypted channels, which only clients can read'],
    ['orders {id}', 'has a character that channel names cannot have'],
  ])('may not be for %s', async (pattern, message) => {
    class Wrong {
      @ChannelState(pattern)
      read(): string {
        return '';
      }
    }
    expect(await start(Wrong)).toContain(message);
  });

  it('may not share channels with another', async () => {
    class Both {
      @ChannelState('orders.{id}')
      one(): string {
        return '';
      }
      @ChannelState('{kind}.7')
      other(): string {
        return '';
      }
    }
    expect(await start(Both)).toBe(
      "ChannelsModule: a channel could match both @ChannelState('orders.{id}') of Both.one and @ChannelState('{kind}.7') of Both.other",
    );
  });
});
