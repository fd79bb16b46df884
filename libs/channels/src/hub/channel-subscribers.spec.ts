import { beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../../test/support/until.js';
import type { MemberChange } from '../broker/broker.js';
import type { Connection } from '../connections/connection.js';
import type { Encoding } from '../connections/transport.js';
import { WriteScheduler } from '../connections/write-scheduler.js';
import { ChannelSubscribers, type Known } from './channel-subscribers.js';
import { Frame } from './frame.js';

let encoded: string[];
let positions = 0;

const encodingOf = (name: string): Encoding => ({
  ping: Buffer.alloc(0),
  encode: (text) => (encoded.push(`${name} ${text}`), Buffer.from(`${name}:${text};`)),
});

/** A client whose transport does nothing but remember. */
function client(encoding: Encoding) {
  const got: string[] = [];
  const connection = {
    socketId: String(++positions),
    encoding,
    isClosed: false,
    enqueue: (b: Buffer) => got.push(String(b)),
  };
  return { connection: connection as unknown as Connection, heard: () => got.join('') };
}

let subscribers: ChannelSubscribers;
let webSocket: Encoding;
beforeEach(() => {
  encoded = [];
  webSocket = encodingOf('ws');
  subscribers = new ChannelSubscribers(new WriteScheduler(), 1000);
});

function enter({ connection }: ReturnType<typeof client>, known: Known = {}): void {
  subscribers.prepare(connection);
  subscribers.release(connection, known);
}

const publish = (text: string, position: string, change?: MemberChange) =>
  subscribers.publish(new Frame(change ? { text, change } : { text }, position));

const member = (userId: string, version: number, isPresent = true): MemberChange => ({ userId, isPresent, version });

describe('what is published on a channel', () => {
  it('is framed once for each kind of transport, and for nobody where nobody is', async () => {
    publish('early', '1');
    expect(encoded).toEqual([]);
    const streams = encodingOf('stream');
    const all = [client(webSocket), client(webSocket), client(streams), client(streams)];
    for (const each of all) enter(each);
    publish('a', '2');
    publish('b', '3');
    await until(() => all.every(({ heard }) => heard() !== ''), 'all have heard');
    expect(all.map(({ heard }) => heard())).toEqual([
      'ws:a;ws:b;',
      'ws:a;ws:b;',
      'stream:a;stream:b;',
      'stream:a;stream:b;',
    ]);
    expect(encoded.toSorted()).toEqual(['stream a', 'stream b', 'ws a', 'ws b']);
  });

  it('is told to nobody whose roster shows it already, and to all others', async () => {
    const [alice, bob] = [client(webSocket), client(webSocket)];
    enter(alice, { version: 5 });
    enter(bob, { version: 8 });
    publish('carol is here', '1', member('carol', 7));
    publish('dave is here', '2', member('dave', 9));
    await until(() => alice.heard() !== '' && bob.heard() !== '', 'both have heard');
    expect([alice.heard(), bob.heard()]).toEqual(['ws:carol is here;ws:dave is here;', 'ws:dave is here;']);
  });

  it('while a connection is on its way is not told to it again when its roster shows it', async () => {
    const alice = client(webSocket);
    subscribers.prepare(alice.connection);
    publish('bob is here', '1', member('bob', 3));
    publish('carol is here', '2', member('carol', 4));
    subscribers.release(alice.connection, { version: 3 });
    expect(alice.heard()).toBe('ws:carol is here;');
  });

  it('leaves out a change of a member that a newer one has overtaken', async () => {
    const alice = client(webSocket);
    enter(alice, { version: 1 });
    publish('bob is here', '1', member('bob', 2));
    publish('bob is here again', '2', member('bob', 4));
    publish('bob is gone', '3', member('bob', 3, false));
    publish('end', '4');
    await until(() => alice.heard().endsWith('end;'), 'the end is heard');
    expect(alice.heard()).toBe('ws:bob is here;ws:bob is here again;ws:end;');
  });

  it('is not told again to who got it as the remembered event, and everything after it is', async () => {
    const [alice, bob] = [client(webSocket), client(webSocket)];
    enter(alice, { position: '5' });
    enter(bob);
    publish('five', '5');
    publish('six', '6');
    await until(() => alice.heard() !== '' && bob.heard() !== '', 'both have heard');
    expect([alice.heard(), bob.heard()]).toEqual(['ws:six;', 'ws:five;ws:six;']);
  });
});
