import { beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../../test/support/until.js';
import type { BrokerEvent } from '../broker/broker.js';
import { InProcessBroker } from '../broker/in-process.broker.js';
import { ChannelsSettings } from '../channels.options.js';
import type { Connection } from '../connections/connection.js';
import { ChannelsMetrics } from '../metrics.js';
import { Hub } from './hub.js';

/** A broker that remembers for which channels it was asked. */
class Asked extends InProcessBroker {
  readonly calls: string[] = [];
  override subscribe(...topic: readonly string[]): void {
    this.calls.push(`+${topic.join(' ')}`);
  }
  override unsubscribe(...topic: readonly string[]): void {
    this.calls.push(`-${topic.join(' ')}`);
  }
}

const encode = (text: string): Buffer => Buffer.from(`${text};`);

let sockets = 0;
function client(appId = 'app') {
  const got: string[] = [];
  const connection = {
    app: { id: appId },
    socketId: `1.${++sockets}`,
    isClosed: false,
    encoding: { ping: Buffer.alloc(0), encode, encodeShared: encode },
    enqueue: (bytes: Buffer) => got.push(String(bytes)),
    ask: (handled: () => void) => handled(),
  };
  return { connection: connection as unknown as Connection, heard: () => got.join('') };
}

const event = (text: string, more: Partial<BrokerEvent> = {}): BrokerEvent => ({
  kind: 'event',
  appId: 'app',
  channel: 'news',
  text,
  ...more,
});

let broker: Asked;
let metrics: ChannelsMetrics;
let hub: Hub;
let told: unknown[][];
beforeEach(() => {
  broker = new Asked();
  metrics = new ChannelsMetrics();
  hub = new Hub(broker, metrics, new ChannelsSettings());
  told = [];
  hub.observe({
    delivered: ({ text }, position, connections) => told.push(['delivered', text, position, connections]),
    lost: (topic) => told.push(['lost', topic]),
    closed: (topic) => told.push(['closed', topic]),
    keptSent: ({ name }, position) => told.push(['keptSent', name, position]),
    keptSentTo: ({ socketId }, name, position) => told.push(['keptSentTo', socketId, name, position]),
  });
  // One that follows nothing.
  hub.observe({});
});

describe('a connection', () => {
  it('hears the events of its app and channel from when it joins until it leaves', async () => {
    const [alice, stranger] = [client(), client('other')];
    await hub.join(alice.connection, 'news');
    await hub.join(stranger.connection, 'news');
    hub.deliver(event('one'), '1');
    hub.deliver(event('elsewhere', { channel: 'weather' }), '2');
    await until(() => alice.heard() !== '', 'Alice has heard');
    await hub.leave(alice.connection, 'news');
    hub.deliver(event('two'), '3');
    hub.deliver(event('theirs', { appId: 'other' }), '4');
    await until(() => stranger.heard() !== '', 'the other has heard');
    expect([alice.heard(), stranger.heard()]).toEqual(['one;', 'theirs;']);
    expect(told.filter(([what]) => what === 'delivered')).toEqual([
      ['delivered', 'one', '1', 1],
      ['delivered', 'theirs', '4', 1],
    ]);
  });

  it('that is about to join gets what was published in the meantime, as far as it does not know it', () => {
    const alice = client();
    void hub.prepare(alice.connection, 'news');
    hub.deliver(event('one'), '1');
    hub.deliver(event('two'), '2');
    expect([hub.isPending(alice.connection, 'news', '2'), hub.isPending(alice.connection, 'news', '3')]).toEqual([
      true,
      false,
    ]);
    expect(hub.isPending(alice.connection, 'weather', '2')).toBe(false);
    expect(alice.heard()).toBe('');
    hub.release(alice.connection, 'news', { position: '1' });
    expect(alice.heard()).toBe('two;');
    expect(hub.isPending(alice.connection, 'news', '2')).toBe(false);
    // Not joined, so nothing to release.
    hub.release(client().connection, 'news');
    hub.release(alice.connection, 'weather');
    expect([...hub.on({ appId: 'app', channel: 'news' })]).toEqual([alice.connection]);
  });

  it('is asked whether it has handled an event', async () => {
    const alice = client();
    await hub.join(alice.connection, 'news');
    let handled = 0;
    hub.deliver(event('one'), '1', () => (handled += 1));
    await until(() => handled > 0, 'it is asked');
    expect(handled).toBe(1);
  });

  it('of this process hears an event that the broker could not carry, after all others', async () => {
    const [alice, sender] = [client(), client()];
    await hub.join(alice.connection, 'news');
    await hub.join(sender.connection, 'news');
    const change = { userId: 'bob', isPresent: true, version: 1 };
    hub.deliverHere(event('here', { except: sender.connection.socketId, history: {} as BrokerEvent['history'] }));
    hub.deliverHere(event('bob', { change }));
    await until(() => sender.heard() !== '', 'it is heard');
    expect([alice.heard(), sender.heard()]).toEqual(['here;bob;', 'bob;']);
    expect(told.slice(0, 1)).toEqual([['delivered', 'here', '~', 2]]);
    expect(hub.changesOf({ appId: 'app', channel: 'news' })?.members.latestOf('bob')).toMatchObject(change);
  });
});

describe('a channel', () => {
  it('is carried to this process from its first connection to its last', async () => {
    const [alice, bob] = [client(), client()];
    await hub.join(alice.connection, 'news');
    void hub.prepare(bob.connection, 'news');
    expect(broker.calls).toEqual(['+app news']);
    await hub.leave(alice.connection, 'news');
    await hub.leave(alice.connection, 'news');
    expect([hub.has('app', 'news'), ...broker.calls]).toEqual([true, '+app news']);
    await hub.leave(bob.connection, 'news');
    expect([hub.has('app', 'news'), ...broker.calls]).toEqual([false, '+app news', '-app news']);
    expect(told).toEqual([['closed', { appId: 'app', channel: 'news' }]]);
    await hub.leave(bob.connection, 'weather');
    await hub.join(alice.connection, 'news');
    expect(broker.calls).toEqual(['+app news', '-app news', '+app news']);
  });

  it('stays when another channel of its app comes and goes', async () => {
    const alice = client();
    await hub.join(alice.connection, 'news');
    await hub.join(alice.connection, 'weather');
    expect([hub.has('app', 'news'), hub.has('app', 'weather')]).toEqual([true, true]);
    await hub.leave(alice.connection, 'weather');
    expect([hub.has('app', 'news'), hub.has('app', 'weather')]).toEqual([true, false]);
  });

  it('is listed with its connections, and counted without those about to join', async () => {
    const [alice, bob, stranger] = [client(), client(), client('other')];
    await hub.join(alice.connection, 'news');
    void hub.prepare(bob.connection, 'news');
    await hub.join(stranger.connection, 'weather');
    expect([...hub.on({ appId: 'app', channel: 'news' })]).toEqual([alice.connection, bob.connection]);
    expect([...hub.on({ appId: 'app', channel: 'weather' })]).toEqual([]);
    expect([...hub.channels()]).toEqual([
      { appId: 'app', channel: 'news', size: 1 },
      { appId: 'other', channel: 'weather', size: 1 },
    ]);
    expect(hub.changesOf({ appId: 'app', channel: 'weather' })).toBeUndefined();
    expect(await metrics.registry.metrics()).toContain('rookery_channels_subscriptions{access="public"} 2');
    await hub.leave(stranger.connection, 'weather');
    await hub.leave(bob.connection, 'news');
    expect([...hub.channels()]).toEqual([{ appId: 'app', channel: 'news', size: 1 }]);
  });

  it('is reported when its messages may be lost, if it has connections here', async () => {
    await hub.join(client().connection, 'news');
    const here = { appId: 'app', channel: 'news' };
    hub.lost([here, { appId: 'app', channel: 'weather' }, { appId: 'other', channel: 'news' }]);
    expect(told).toEqual([['lost', here]]);
  });

  it('counts what it delivers to each connection', async () => {
    const [alice, bob, carol] = [client(), client(), client()];
    for (const each of [alice, bob]) await hub.join(each.connection, 'news');
    hub.deliver(event('one'), '1');
    hub.deliver(event('two'), '2');
    await until(() => bob.heard() !== '', 'they have heard');
    expect(metrics.of('app').deliveries).toBe(4);
    hub.deliver(event('three', { except: alice.connection.socketId }), '3');
    await until(() => bob.heard().endsWith('three;'), 'Bob has heard');
    expect(metrics.of('app').deliveries).toBe(5);
    void hub.prepare(carol.connection, 'news');
    hub.deliver(event('four'), '4');
    hub.release(carol.connection, 'news');
    expect(metrics.of('app').deliveries).toBe(6);
  });

  it('with a history reports up to which event its connections were sent it', async () => {
    const [alice, bob] = [client(), client()];
    const history = {} as NonNullable<BrokerEvent['history']>;
    const keptSent = () => told.filter(([what]) => String(what).startsWith('keptSent'));
    await hub.join(alice.connection, 'news');
    hub.deliver(event('{"n":1}', { history }), '1');
    hub.deliver(event('{"n":2}', { history }), '2');
    hub.deliver(event('{"n":3}'), '3');
    await until(() => alice.heard().endsWith('{"n":3};'), 'Alice has heard');
    expect(keptSent()).toEqual([['keptSent', 'news', '2']]);
    void hub.prepare(bob.connection, 'news');
    hub.deliver(event('{"n":4}', { history }), '4');
    hub.deliver(event('{"n":5}'), '5');
    hub.release(bob.connection, 'news');
    await until(() => alice.heard().endsWith('{"n":5};'), 'Alice has heard');
    expect(keptSent().slice(1)).toEqual([
      ['keptSentTo', bob.connection.socketId, 'news', '4'],
      ['keptSent', 'news', '4'],
    ]);
    hub.deliver(event('{"n":6}'), '6');
    await until(() => alice.heard().endsWith('{"n":6};'), 'Alice has heard');
    expect(keptSent()).toHaveLength(3);
  });
});
