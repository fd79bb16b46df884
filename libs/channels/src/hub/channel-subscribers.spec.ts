import { beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../../test/support/until.js';
import type { MemberChange } from '../broker/broker.js';
import type { Connection } from '../connections/connection.js';
import type { Encoding } from '../connections/transport.js';
import { AppTraffic } from '../metrics.js';
import { memberAdded } from '../protocol/frames.js';
import { WriteScheduler } from '../connections/write-scheduler.js';
import { ChannelSubscribers, type Known } from './channel-subscribers.js';
import { SessionPings } from './session-pings.js';
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
  return { connection: connection as unknown as Connection, heard: () => got.join(''), writes: () => got };
}

let subscribers: ChannelSubscribers;
let webSocket: Encoding;
beforeEach(() => {
  encoded = [];
  webSocket = encodingOf('ws');
  subscribers = new ChannelSubscribers('news', new SessionPings(1000), new WriteScheduler(), 1000, new AppTraffic());
});

function enter({ connection }: ReturnType<typeof client>, known: Known = {}): void {
  subscribers.prepare(connection);
  subscribers.release(connection, known);
}

const publish = (text: string, position: string, change?: MemberChange) =>
  subscribers.publish(new Frame(change ? { text, change } : { text }, position));

/** Keeps the thread busy, as writes to many do. */
function work(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end;);
}

const member = (userId: string, version: number, isPresent = true): MemberChange => ({ userId, isPresent, version });

describe('a published message', () => {
  it('is framed once per kind of transport, and never without subscribers', async () => {
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

  it('is sent to all subscribers except those whose roster already shows it', async () => {
    const [alice, bob] = [client(webSocket), client(webSocket)];
    enter(alice, { version: 5 });
    enter(bob, { version: 8 });
    publish('carol is here', '1', member('carol', 7));
    publish('dave is here', '2', member('dave', 9));
    await until(() => alice.heard() !== '' && bob.heard() !== '', 'both have heard');
    expect([alice.heard(), bob.heard()]).toEqual(['ws:carol is here;ws:dave is here;', 'ws:dave is here;']);
  });

  it('is not sent to a joining connection whose roster already shows it', async () => {
    const alice = client(webSocket);
    subscribers.prepare(alice.connection);
    publish('bob is here', '1', member('bob', 3));
    publish('carol is here', '2', member('carol', 4));
    subscribers.release(alice.connection, { version: 3 });
    expect(alice.heard()).toBe('ws:carol is here;');
  });

  it('omits a change of a member that a newer change has overtaken', async () => {
    const alice = client(webSocket);
    enter(alice, { version: 1 });
    publish('bob is here', '1', member('bob', 2));
    publish('bob is here again', '2', member('bob', 4));
    publish('bob is gone', '3', member('bob', 3, false));
    publish('end', '4');
    await until(() => alice.heard().endsWith('end;'), 'the end is heard');
    expect(alice.heard()).toBe('ws:bob is here;ws:bob is here again;ws:end;');
  });

  it('is repeated only to connections whose roster lacked the member, after shared state was lost', async () => {
    const [alice, bob, watcher] = [client(webSocket), client(webSocket), client(webSocket)];
    enter(alice, { version: 1 });
    publish('carol', '1', member('carol', 2));
    await until(() => alice.heard() !== '', 'Alice has heard');
    enter(bob, { version: 3 });
    enter(watcher);
    publish('carol', '2', member('carol', 4));
    publish('dave', '3', member('dave', 5));
    publish('carol', '4', member('carol', 6));
    publish('carol, renamed', '5', member('carol', 7));
    publish('carol has left', '6', member('carol', 8, false));
    publish('carol has left', '7', member('carol', 9, false));
    publish('carol', '8', member('carol', 10));
    publish('end', '9');
    await until(() => alice.heard().endsWith('end;'), 'the end is heard');
    const rest = 'ws:carol, renamed;ws:carol has left;ws:carol;ws:end;';
    expect(alice.heard()).toBe(`ws:carol;ws:dave;${rest}`);
    expect(bob.heard()).toBe(`ws:carol;ws:dave;${rest}`);
    // What it knew when it came is not known here.
    expect(watcher.heard()).toBe(
      'ws:carol;ws:dave;ws:carol;ws:carol, renamed;ws:carol has left;ws:carol has left;ws:carol;ws:end;',
    );
  });

  it('is sent only to those that need it where the change in between was overtaken', async () => {
    const [alice, bob, carol] = [client(webSocket), client(webSocket), client(webSocket)];
    enter(alice, { version: 1 });
    publish('dave', '1', member('dave', 2));
    await until(() => alice.heard() !== '', 'Alice has heard');
    enter(bob, { version: 3 }); // With Dave.
    enter(carol, { version: 6 }); // Without: he left at 5.
    publish('dave', '2', { ...member('dave', 7), previous: 5 });
    publish('dave has left', '3', member('dave', 5, false));
    publish('dave has left', '4', { ...member('dave', 8, false), previous: 7 });
    publish('end', '5');
    await until(() => alice.heard().endsWith('end;'), 'the end is heard');
    expect([alice.heard(), bob.heard(), carol.heard()]).toEqual([
      'ws:dave;ws:dave has left;ws:end;',
      'ws:dave has left;ws:end;',
      'ws:dave;ws:dave has left;ws:end;',
    ]);
  });

  it('tells that a member left only to those that knew of them, where their coming was overtaken', async () => {
    const [alice, bob] = [client(webSocket), client(webSocket)];
    enter(alice, { version: 1 });
    enter(bob, { version: 3 }); // With Dave, who came at 3.
    publish('dave has left', '1', { ...member('dave', 4, false), previous: 3 });
    publish('dave', '2', member('dave', 3));
    publish('dave has left', '3', { ...member('dave', 6, false), previous: 5 });
    publish('end', '4');
    await until(() => alice.heard().endsWith('end;'), 'the end is heard');
    expect([alice.heard(), bob.heard()]).toEqual(['ws:end;', 'ws:dave has left;ws:end;']);
  });

  it('does not announce again the members of the first roster', async () => {
    const alice = client(webSocket);
    enter(alice, { version: 3 });
    subscribers.members.learn({
      members: [{ userId: 'bob', userInfoJson: '{"name":"Bob"}' }, { userId: 'carol' }],
      version: 3,
    });
    publish(memberAdded('news', 'bob', '{"name":"Bob"}'), '1', member('bob', 4));
    publish(memberAdded('news', 'carol', '{"name":"Carol"}'), '2', member('carol', 5));
    publish('end', '3');
    await until(() => alice.heard().endsWith('end;'), 'the end is heard');
    expect(alice.heard()).toBe(`ws:${memberAdded('news', 'carol', '{"name":"Carol"}')};ws:end;`);
  });

  it('is not sent again to a subscriber that got it as the cached event, but later messages are', async () => {
    const [alice, bob] = [client(webSocket), client(webSocket)];
    enter(alice, { position: '5' });
    enter(bob);
    publish('five', '5');
    publish('six', '6');
    await until(() => alice.heard() !== '' && bob.heard() !== '', 'both have heard');
    expect([alice.heard(), bob.heard()]).toEqual(['ws:six;', 'ws:five;ws:six;']);
  });

  it('joins member changes that arrive during a pause, and delays nothing else for them', async () => {
    const all = Array.from({ length: 20 }, () => client(webSocket));
    for (const each of all) enter(each, { version: 0 });
    const [alice] = all as [ReturnType<typeof client>];
    // A round that takes as long as many writes do.
    const slow = client({ ...webSocket, encode: (text) => (work(20), webSocket.encode(text)) });
    enter(slow, { version: 0 });
    publish('member 1', '1', member('1', 1));
    await until(() => alice.heard() !== '', 'the first is told at once');
    publish('member 2', '2', member('2', 2));
    publish('member 3', '3', member('3', 3));
    await new Promise((resolve) => setImmediate(resolve));
    expect(alice.heard()).toBe('ws:member 1;');
    publish('an event', '4');
    await until(() => alice.heard().endsWith('an event;'), 'the event is heard');
    expect(alice.writes()).toEqual(['ws:member 1;', 'ws:member 2;ws:member 3;ws:an event;']);
    publish('member 4', '5', member('4', 4));
    await until(() => alice.heard().endsWith('member 4;'), 'the last is told after the rest');
  });

  it('sends to a leaving or joining subscriber only the messages of its time on the channel', async () => {
    const [alice, bob, carol] = [client(webSocket), client(webSocket), client(webSocket)];
    enter(alice, { version: 0 });
    enter(bob, { version: 0 });
    publish('member 1', '1', member('1', 1));
    subscribers.delete(bob.connection);
    enter(carol, { version: 1 });
    publish('member 2', '2', member('2', 2));
    await until(() => alice.heard().endsWith('member 2;'), 'the news is told');
    expect([alice, bob, carol].map(({ heard }) => heard())).toEqual([
      'ws:member 1;ws:member 2;',
      'ws:member 1;',
      'ws:member 2;',
    ]);
  });
});
