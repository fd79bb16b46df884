import { ForbiddenException, Injectable, type Provider, Scope } from '@nestjs/common';
import { afterEach, describe, expect, it } from 'vitest';
import {
  ChannelsModule,
  ClientEventAuthorizer,
  OnClientEvent,
  RookeryError,
  type SentClientEvent,
} from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { testApp } from '../support/channels-server.js';
import { createHost, listen } from '../support/embedding-host.js';
import { SocketClient } from '../support/socket-client.js';
import { Board } from '../docs/embedding/board.js';
import { guarded, TypingGuard } from '../docs/embedding/client-event.guard.js';

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).toReversed()) await end();
});

const talking = () => ChannelsModule.forRoot({ apps: [{ ...testApp, clientEvents: true }] });

async function started(providers: Provider[], channels = talking()) {
  const { app, lines } = await createHost({ imports: [PresenceModule.forRoot(), channels], providers });
  ended.push(() => app.close());
  const { port } = await listen(app);
  const connect = async () => {
    const client = await SocketClient.connect(port);
    ended.push(() => client.close());
    return client;
  };
  return { app, lines, connect };
}

const message = async (client: SocketClient) => (await client.next('pusher:error')).data as unknown;
const refused = { code: null, message: 'Client event rejected - not authorized' };

describe('a client event that methods of the host authorize', () => {
  it('reaches the other subscribers if all answer true, and none if one answers false', async () => {
    const { app, connect } = await started([Board]);
    app.get(Board).turns.set('7', 'alice');
    const [alice, bob] = [await connect(), await connect()];
    await alice.subscribe('presence-game.7', { user_id: 'alice' });
    await bob.subscribe('presence-game.7', { user_id: 'bob' });

    alice.send({ event: 'client-move', channel: 'presence-game.7', data: { from: 'e2', to: 'e4' } });
    expect(await bob.next('client-move')).toMatchObject({ user_id: 'alice', data: '{"from":"e2","to":"e4"}' });

    bob.send({ event: 'client-move', channel: 'presence-game.7', data: { from: 'e7', to: 'e5' } });
    expect(await message(bob)).toEqual(refused);
    alice.send({ event: 'client-move', channel: 'presence-game.7', data: 'castle' });
    expect(await message(alice)).toEqual(refused);
    bob.send({ event: 'client-cheat', channel: 'presence-game.7', data: {} });
    expect(await message(bob)).toEqual(refused);
    expect(await alice.settled('client-move')).toEqual([]);
  });

  it('passes if no method matches its channel', async () => {
    const { connect } = await started([Board]);
    const [alice, bob] = [await connect(), await connect()];
    for (const client of [alice, bob]) await client.subscribe('private-chat');
    alice.send({ event: 'client-typing', channel: 'private-chat', data: {} });
    await bob.next('client-typing');
  });

  it('is passed with its data, its sender as member and as user, and its origin', async () => {
    const seen: SentClientEvent[] = [];
    @Injectable()
    class All {
      @ClientEventAuthorizer()
      async see(event: SentClientEvent): Promise<boolean> {
        seen.push(event);
        return true;
      }
    }
    const { connect } = await started([All]);
    const alice = await connect();
    await alice.signin({ id: 'user-1', user_info: { name: 'Alice' } });
    await alice.subscribe('presence-a', { user_id: 7, user_info: { role: 'admin' } });
    await alice.subscribe('private-b');
    alice.send({ event: 'client-e', channel: 'presence-a', data: [1, { two: 2 }] });
    alice.send({ event: 'client-f', channel: 'private-b', data: 'not JSON' });
    expect(await alice.settled('pusher:error')).toEqual([]);
    const of = { appId: testApp.id, socketId: alice.socketId, params: {} };
    const user = { id: 'user-1', info: { name: 'Alice' } };
    expect(seen).toEqual([
      {
        ...of,
        channel: 'presence-a',
        event: 'client-e',
        data: [1, { two: 2 }],
        member: { id: '7', info: { role: 'admin' } },
        user,
      },
      { ...of, channel: 'private-b', event: 'client-f', data: 'not JSON', user },
    ]);
  });

  it('does not pass if a method fails, and the client gets the message meant for it', async () => {
    class Failing {
      @ClientEventAuthorizer('private-{kind}')
      decide({ params: { kind } }: SentClientEvent): boolean {
        if (kind === 'said') throw new ForbiddenException('Only on Sundays');
        if (kind === 'service') throw new RookeryError('not_notifying', 'secret detail');
        if (kind === 'odd') return 'yes' as unknown as boolean;
        if (kind === 'nothing') return undefined as unknown as boolean;
        throw new Error('secret detail');
      }
    }
    const heard: unknown[] = [];
    class Listening {
      @OnClientEvent()
      hear(event: object) {
        heard.push(event);
      }
    }
    const { connect, lines } = await started([Failing, Listening]);
    const [alice, bob] = [await connect(), await connect()];
    const broken = { code: null, message: 'Internal server error' };
    for (const [kind, told] of [
      ['said', { code: null, message: 'Only on Sundays' }],
      ['service', broken],
      ['odd', broken],
      ['nothing', refused],
      ['broken', broken],
    ] as const) {
      for (const client of [alice, bob]) await client.subscribe(`private-${kind}`);
      alice.send({ event: 'client-e', channel: `private-${kind}`, data: {} });
      expect(await message(alice)).toEqual(told);
    }
    expect(await bob.settled('client-e')).toEqual([]);
    expect(heard).toEqual([]);
    expect(lines.filter(({ level }) => level === 'error').length).toBe(3);
  });

  it('does not pass if the sender was closed during a slow method', async () => {
    let answer!: (yes: boolean) => void;
    class Slow {
      @ClientEventAuthorizer()
      decide(): Promise<boolean> {
        return new Promise((resolve) => (answer = resolve));
      }
    }
    const { connect } = await started([Slow]);
    const [alice, bob] = [await connect(), await connect()];
    for (const client of [alice, bob]) await client.subscribe('private-a');
    alice.send({ event: 'client-e', channel: 'private-a', data: {} });
    await expect.poll(() => answer).toBeDefined();
    alice.close();
    await alice.closing();
    answer(true);
    expect(await bob.settled('client-e')).toEqual([]);
  });

  class Wrong {
    @ClientEventAuthorizer('public-a' as 'private-a')
    decide(): boolean {
      return true;
    }
  }

  it.each<[string, Provider, string]>([
    [
      'a class is made for each request',
      { provide: Board, useClass: Board, scope: Scope.REQUEST },
      'Board.mayMove is a @ClientEventAuthorizer(): its class must not be request-scoped',
    ],
    [
      'a pattern is of no channel that has client events',
      Wrong,
      "ChannelsModule: @ClientEventAuthorizer('public-a') of Wrong.decide must begin with private- or presence-",
    ],
  ])('fails the boot where %s', async (_, provider, line) => {
    await expect(started([provider])).rejects.toMatchObject({ message: line });
  });
});

describe('a guard of sockets', () => {
  it('sees the name of a client event', async () => {
    const { connect } = await started([TypingGuard], guarded);
    const [alice, bob] = [await connect(), await connect()];
    for (const client of [alice, bob]) await client.subscribe('private-a');
    const forbidden = { code: null, message: 'Forbidden resource' };
    alice.send({ event: 'client-typing', channel: 'private-a', data: {} });
    expect(await message(alice)).toEqual(forbidden);
    await alice.signin({ id: 'alice' });
    alice.send({ event: 'client-other', channel: 'private-a', data: {} });
    expect(await message(alice)).toEqual(forbidden);
    alice.send({ event: 'client-typing', channel: 'private-a', data: { on: true } });
    expect(await bob.next('client-typing')).toMatchObject({ data: '{"on":true}' });
  });
});
