import { beforeEach, describe, expect, it } from 'vitest';
import { Random } from '../../../../test/support/random.js';
import { until } from '../../../../test/support/until.js';
import type { MemberChange } from '../broker/broker.js';
import { ChannelFeed } from '../broker/channel-feed.js';
import { InProcessBroker } from '../broker/in-process.broker.js';
import type { Connection } from '../connections/connection.js';
import type { Encoding } from '../connections/transport.js';
import { Frame } from '../frames/frame.js';
import type { AlreadySent } from '../frames/known-frames.js';
import { AppTraffic } from '../metrics.js';
import { memberAdded } from '../protocol/frames.js';
import { WriteScheduler } from '../connections/write-scheduler.js';
import { ChannelSubscribers } from './channel-subscribers.js';

let encoded: string[];
let positions = 0;

const encodingOf = (name: string): Encoding => ({
  ping: Buffer.alloc(0),
  encode: () => expect.unreachable('what is sent to a channel is shared'),
  encodeShared: (text) => (encoded.push(`${name} ${text}`), Buffer.from(`${name}:${text};`)),
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

const feed = new ChannelFeed(new InProcessBroker(), { appId: 'app', channel: 'news' });

let subscribers: ChannelSubscribers;
let webSocket: Encoding;
beforeEach(() => {
  encoded = [];
  webSocket = encodingOf('ws');
  subscribers = new ChannelSubscribers('news', feed, [], new WriteScheduler(), 1000, new AppTraffic());
});

function enter({ connection }: ReturnType<typeof client>, known: AlreadySent = {}): void {
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

describe('a channel', () => {
  it('is empty before its first connection prepares to join, and after its last has left', () => {
    const [alice, bob] = [client(webSocket), client(webSocket)];
    expect([subscribers.isEmpty, subscribers.size]).toEqual([true, 0]);
    subscribers.prepare(alice.connection);
    expect([subscribers.isEmpty, subscribers.size]).toEqual([false, 0]);
    enter(bob);
    expect([subscribers.isEmpty, subscribers.size, [...subscribers]]).toEqual([
      false,
      1,
      [bob.connection, alice.connection],
    ]);
    expect([subscribers.delete(bob.connection), subscribers.isEmpty]).toEqual([true, false]);
    expect([subscribers.delete(alice.connection), subscribers.isEmpty]).toEqual([true, true]);
  });
});

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

  it('is not sent to a joining connection that got it in another way', () => {
    const alice = client(webSocket);
    subscribers.prepare(alice.connection);
    publish('one', '1');
    publish('two', '2');
    subscribers.release(alice.connection, { has: ({ position }) => position === '1' });
    expect(alice.heard()).toBe('ws:two;');
  });

  it('is not sent to a connection that leaves a channel on which it is not', async () => {
    const [alice, bob] = [client(webSocket), client(webSocket)];
    enter(alice);
    publish('one', '1');
    expect([subscribers.delete(bob.connection), bob.heard()]).toEqual([false, '']);
    subscribers.release(bob.connection, {});
    await until(() => alice.heard() !== '', 'Alice has heard');
    expect(bob.heard()).toBe('');
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
    subscribers.changes.members.learn({
      members: [
        { userId: 'bob', userInfoJson: '{"name":"Bob"}', since: 1 },
        { userId: 'carol', since: 2 },
      ],
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
    const slow = client({ ...webSocket, encodeShared: (text) => (work(20), webSocket.encodeShared(text)) });
    enter(slow, { version: 0 });
    publish('member 1', '1', member('1', 1));
    // The pause is short: the first is told within these turns.
    while (alice.heard() === '') await new Promise((resolve) => setImmediate(resolve));
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

  it('of a member that leaves and returns at once is sent only to those whose roster is from in between', async () => {
    const [alice, bob, dave, erin] = [client(webSocket), client(webSocket), client(webSocket), client(webSocket)];
    enter(alice, { version: 1 });
    publish('carol', '1', member('carol', 2));
    await until(() => alice.heard() !== '', 'Alice has heard');
    subscribers.prepare(dave.connection);
    publish('carol has left', '2', { ...member('carol', 3, false), previous: 2 });
    enter(bob, { version: 3 });
    publish('carol', '3', { ...member('carol', 4), previous: 3 });
    subscribers.release(dave.connection, { version: 2 });
    enter(erin, { version: 4 });
    publish('end', '4');
    await until(() => alice.heard().endsWith('end;'), 'the end is heard');
    expect([alice, bob, dave, erin].map(({ heard }) => heard())).toEqual([
      'ws:carol;ws:end;',
      'ws:carol;ws:end;',
      'ws:end;',
      'ws:end;',
    ]);
    publish('carol has left', '5', { ...member('carol', 5, false), previous: 4 });
    publish('end', '6');
    await until(() => alice.writes().length === 3, 'the next end is heard');
    for (const each of [alice, bob, dave, erin]) expect(each.writes().at(-1)).toBe('ws:carol has left;ws:end;');
  });

  it('of a member that comes and goes is not sent to those whose roster shows how it ended', async () => {
    const [alice, bob, dave] = [client(webSocket), client(webSocket), client(webSocket)];
    enter(alice, { version: 1 });
    publish('carol', '1', member('carol', 2));
    await until(() => alice.heard() !== '', 'Alice has heard');
    publish('carol has left', '2', { ...member('carol', 3, false), previous: 2 });
    publish('carol', '3', { ...member('carol', 4), previous: 3 });
    enter(bob, { version: 4 });
    publish('carol has left', '4', { ...member('carol', 5, false), previous: 4 });
    enter(dave, { version: 5 });
    publish('carol', '5', { ...member('carol', 6), previous: 5 });
    publish('end', '6');
    await until(() => alice.heard().endsWith('end;'), 'the end is heard');
    expect([alice, bob, dave].map(({ heard }) => heard())).toEqual(['ws:carol;ws:end;', 'ws:end;', 'ws:carol;ws:end;']);
  });

  it('of a member that was sent ahead to a new subscriber is not cancelled', async () => {
    const [alice, dave] = [client(webSocket), client(webSocket)];
    enter(alice, { version: 1 });
    publish('carol', '1', member('carol', 2));
    await until(() => alice.heard() !== '', 'Alice has heard');
    subscribers.prepare(dave.connection);
    publish('carol has left', '2', { ...member('carol', 3, false), previous: 2 });
    subscribers.release(dave.connection, { version: 2 });
    publish('carol', '3', { ...member('carol', 4), previous: 3 });
    publish('end', '4');
    await until(() => alice.heard().endsWith('end;'), 'the end is heard');
    expect(alice.heard()).toBe('ws:carol;ws:carol has left;ws:carol;ws:end;');
    expect(dave.heard()).toBe('ws:carol has left;ws:carol;ws:end;');
  });

  it('of a member is not cancelled where an earlier change is missing that a roster shows', async () => {
    const [alice, bob] = [client(webSocket), client(webSocket)];
    enter(alice, { version: 1 });
    publish('carol', '1', member('carol', 2));
    await until(() => alice.heard() !== '', 'Alice has heard');
    enter(bob, { version: 3 }); // Without Carol: she left at 3, and returned at 4.
    publish('carol has left', '2', { ...member('carol', 5, false), previous: 4 });
    publish('carol', '3', { ...member('carol', 6), previous: 5 });
    publish('end', '4');
    await until(() => alice.heard().endsWith('end;'), 'the end is heard');
    expect(bob.heard()).toBe('ws:carol has left;ws:carol;ws:end;');
  });

  it('of a member that returns as another is sent, with its departure', async () => {
    const alice = client(webSocket);
    enter(alice, { version: 1 });
    publish('carol', '1', member('carol', 2));
    await until(() => alice.heard() !== '', 'Alice has heard');
    publish('carol has left', '2', { ...member('carol', 3, false), previous: 2 });
    publish('carol, renamed', '3', { ...member('carol', 4), previous: 3 });
    publish('end', '4');
    await until(() => alice.heard().endsWith('end;'), 'the end is heard');
    expect(alice.heard()).toBe('ws:carol;ws:carol has left;ws:carol, renamed;ws:end;');
  });

  it('is sent at once, but that of a restless member a few times in a second', async () => {
    const [alice, bob] = [client(webSocket), client(webSocket)];
    for (const each of [alice, bob]) enter(each, { version: 0 });
    const begun = performance.now();
    publish('carol', '1', member('carol', 1));
    await until(() => alice.heard() !== '', 'the first is told at once');
    for (let version = 2; version <= 2000; version += 1) {
      const isPresent = version % 2 === 1;
      const change = { ...member('carol', version, isPresent), previous: version - 1 };
      publish(isPresent ? 'carol' : 'carol has left', String(version), change);
      if (version % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    publish('dave', '~', member('dave', 2001));
    await until(() => alice.heard().endsWith('dave;'), 'others are told at once');
    const told = alice
      .heard()
      .split(';')
      .filter((text) => text.includes('carol'));
    expect(told.at(-1)).toBe('ws:carol has left');
    expect(told.every((text, i) => text === (i % 2 === 0 ? 'ws:carol' : 'ws:carol has left'))).toBe(true);
    expect(told.length).toBeLessThan(3 + (performance.now() - begun) / 200);
    expect(bob.heard()).toBe(alice.heard());
  });

  it('of a restless member is sent after a while, even if nothing else is published', async () => {
    const alice = client(webSocket);
    enter(alice, { version: 0 });
    publish('carol', '1', member('carol', 1));
    await until(() => alice.heard() !== '', 'the first is told at once');
    publish('carol has left', '2', { ...member('carol', 2, false), previous: 1 });
    await until(() => alice.heard() === 'ws:carol;ws:carol has left;', 'the second is told');
    publish('carol', '3', { ...member('carol', 3), previous: 2 });
    await until(() => alice.writes().length === 3, 'the third is told');
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

  it.each([
    ['and however they came and went', false],
    ['and says nothing that it knows if changes come in order', true],
  ])('leaves each subscriber with the members as they are, whenever it joined, %s', async (_, isOrderly) => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const random = new Random(seed);
      subscribers = new ChannelSubscribers('news', feed, [], new WriteScheduler(), 1000, new AppTraffic());
      const room = new Room(random, isOrderly);
      const viewers: { readonly viewer: ReturnType<typeof client>; roster: Map<string, boolean> | undefined }[] = [];
      for (let step = 0; step < 60; step += 1) {
        const latest = viewers.at(-1);
        const isJoining = latest !== undefined && !latest.roster;
        if (random.next() < 0.5) room.change();
        if (random.next() < 0.5) room.publishNext();
        if (random.next() < 0.1) publish('an event', '~');
        if (random.next() < 0.1) await new Promise((resolve) => setImmediate(resolve));
        if (isJoining && random.next() < 0.5) {
          latest.roster = room.roster();
          subscribers.release(latest.viewer.connection, { version: room.version });
        } else if (!isJoining && random.next() < 0.2) {
          viewers.push({ viewer: client(webSocket), roster: undefined });
          subscribers.prepare(viewers.at(-1)!.viewer.connection);
        }
      }
      while (room.publishNext());
      publish('end', '~');
      const all = viewers.flatMap(({ viewer, roster }) => (roster ? [{ viewer, roster }] : []));
      await until(() => all.every(({ viewer }) => viewer.heard().endsWith('end;')), 'all have heard the end');
      for (const { viewer, roster } of all) {
        const { members, repeats } = after(roster, viewer.heard());
        expect(members, `seed ${seed}`).toEqual(room.roster());
        expect(isOrderly ? repeats : [], `seed ${seed}`).toEqual([]);
      }
    }
  });
});

/** Members that come and go; their changes are published later, and overtake each other now and then. */
class Room {
  version = 0;
  private readonly last = new Map<string, MemberChange>();
  private readonly unpublished: MemberChange[] = [];

  constructor(
    private readonly random: Random,
    private readonly isOrderly: boolean,
  ) {}

  change(): void {
    const userId = this.random.next() < 0.7 ? 'ann' : 'ben';
    const before = this.last.get(userId);
    const isPresent = !before?.isPresent;
    // Unknown now and then, as after a confirmed absence.
    const previous = this.random.next() < 0.2 && !this.isOrderly ? undefined : before?.version;
    const change = { userId, isPresent, version: (this.version += 1), previous };
    this.last.set(userId, change);
    this.unpublished.push(change);
  }

  /** @returns whether there was one */
  publishNext(): boolean {
    const isOvertaking = this.unpublished.length > 1 && this.random.next() < 0.2 && !this.isOrderly;
    const [change] = this.unpublished.splice(isOvertaking ? 1 : 0, 1);
    if (change) publish(`${change.isPresent ? '+' : '-'}${change.userId}`, String(++positions), change);
    return change !== undefined;
  }

  roster(): Map<string, boolean> {
    return new Map(['ann', 'ben'].map((userId) => [userId, this.last.get(userId)?.isPresent ?? false]));
  }
}

function after(roster: ReadonlyMap<string, boolean>, heard: string) {
  const members = new Map(roster);
  const repeats: string[] = [];
  for (const [text, sign, userId] of heard.matchAll(/ws:([+-])(\w+);/g)) {
    if (members.get(userId!) === (sign === '+')) repeats.push(text);
    members.set(userId!, sign === '+');
  }
  return { members, repeats };
}
