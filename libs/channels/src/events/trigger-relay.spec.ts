import { Logger } from '@nestjs/common';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { MemoryTransaction, MemoryTriggerOutbox } from '../../../../test/support/memory-trigger.outbox.js';
import { until } from '../../../../test/support/until.js';
import { appFrom } from '../app/app.js';
import { ChannelsLimits } from '../app/channels-limits.js';
import type { Apps } from '../access/apps.js';
import type { Broker, BrokerEvent } from '../broker/broker.js';
import { ChannelsSettings } from '../channels.options.js';
import { ChannelsMetrics } from '../metrics.js';
import { ActivityTap } from '../lifecycle/activity-tap.js';
import { parseChannelName } from '../protocol/channel-name.js';
import { EventSender } from './event-sender.js';
import { KeptBytes } from './kept-bytes.js';
import type { RelayClaim } from '../storage/trigger.outbox.js';
import { TriggerRelay } from './trigger-relay.js';
import { TriggerSteps } from './trigger-step.js';

beforeAll(() => Logger.overrideLogger(false));

const app = appFrom({ id: 'app', key: 'key', secret: 'secret' });

/** Takes what the test lets it take. */
class ScriptedBroker {
  readonly sent: string[] = [];
  takes: (event: BrokerEvent) => void | Promise<void> = () => undefined;

  async publish(message: BrokerEvent): Promise<string> {
    await this.takes(message);
    this.sent.push(`${message.channel} ${(JSON.parse(message.text) as { event: string }).event}`);
    return '1';
  }
}

const relays: TriggerRelay[] = [];
afterEach(async () => {
  await Promise.all(relays.splice(0).map((relay) => relay.beforeApplicationShutdown()));
});

function relayOf(outbox: MemoryTriggerOutbox, broker: ScriptedBroker, leaseMs = 60_000): TriggerRelay {
  const settings = Object.assign(new ChannelsSettings(), { triggerRelay: { enabled: true, pollMs: 5, leaseMs } });
  const apps = { findById: (id: string) => (id === app.id ? app : undefined) } as Apps;
  // Events are only published here.
  const metrics = new ChannelsMetrics();
  const kept = new KeptBytes(settings, metrics, broker as unknown as Broker);
  const sender = new EventSender(broker as unknown as Broker, metrics, settings, new ActivityTap(), kept);
  const relay = new TriggerRelay(outbox, apps, sender, new TriggerSteps([]), settings, metrics);
  relays.push(relay);
  relay.onApplicationBootstrap();
  return relay;
}

let ids = 0;
function commit(outbox: MemoryTriggerOutbox, ...events: (readonly [channel: string, name: string])[]): void {
  const transaction = new MemoryTransaction();
  for (const [channel, name] of events)
    transaction.events.push({ id: `${(ids += 1)}`, appId: app.id, channel, name, data: '', createdAt: 1 });
  outbox.commit(transaction);
}

it('sends committed events in the order of each channel, at most once', async () => {
  const [outbox, broker] = [new MemoryTriggerOutbox(), new ScriptedBroker()];
  const events = Array.from({ length: 250 }, (_, n) => [`orders-${n % 3}`, String(n)] as const);
  commit(outbox, ...events);
  relayOf(outbox, broker);
  relayOf(outbox, broker);
  await until(async () => (await outbox.backlog()).events === 0, 'all are sent');
  for (const channel of ['orders-0', 'orders-1', 'orders-2']) {
    const ofChannel = (all: readonly string[]) => all.filter((text) => text.startsWith(`${channel} `));
    expect(ofChannel(broker.sent)).toEqual(ofChannel(events.map((event) => event.join(' '))));
  }
});

it('delays only the channel whose event the broker refuses, and later sends that event first', async () => {
  const [outbox, broker] = [new MemoryTriggerOutbox(), new ScriptedBroker()];
  let isAway = true;
  broker.takes = ({ channel }) => {
    if (isAway && channel === 'away') throw new Error('the broker is away');
  };
  const more = Array.from({ length: 200 }, () => ['away', 'more'] as const);
  commit(outbox, ['away', 'first'], ['away', 'second'], ['here', 'third'], ...more);
  commit(outbox, ['here', 'last']);
  relayOf(outbox, broker);
  await until(() => broker.sent.length === 2, 'the other channel is served');
  expect(broker.sent).toEqual(['here third', 'here last']);
  isAway = false;
  await until(async () => (await outbox.backlog()).events === 0, 'all are sent');
  expect(broker.sent.slice(2, 5)).toEqual(['away first', 'away second', 'away more']);
});

it('takes over from a relay that paused longer than its lease, which then sends nothing more', async () => {
  const outbox = new MemoryTriggerOutbox();
  const [stopped, other] = [new ScriptedBroker(), new ScriptedBroker()];
  let goOn = (): void => undefined;
  let isSending = false;
  stopped.takes = () => {
    isSending = true;
    return new Promise((resolve) => (goOn = resolve));
  };
  commit(outbox, ['orders', 'first'], ['orders', 'second']);
  relayOf(outbox, stopped, 50);
  await until(() => isSending, 'it sends');
  relayOf(outbox, other, 50);
  await until(async () => (await outbox.backlog()).events === 0, 'the other has sent all');
  expect(other.sent).toEqual(['orders first', 'orders second']);
  goOn();
  await relays[0]!.beforeApplicationShutdown();
  expect(stopped.sent).toEqual(['orders first']);
});

it('sends nothing of a claim whose answer comes after its lease', async () => {
  const clock = vi.spyOn(performance, 'now');
  const claims: number[] = [];
  /** Its first answer takes as long as the lease. */
  class LateOutbox extends MemoryTriggerOutbox {
    override async claim(claim: RelayClaim) {
      const found = await super.claim(claim);
      const answeredAt = performance.now() + claim.leaseMs;
      if (claims.push(broker.sent.length) === 1) clock.mockReturnValue(answeredAt);
      else clock.mockRestore();
      return found;
    }
  }
  const [outbox, broker] = [new LateOutbox(), new ScriptedBroker()];
  commit(outbox, ['orders', 'first'], ['orders', 'second']);
  relayOf(outbox, broker, 1000);
  await until(async () => (await outbox.backlog()).events === 0, 'all are sent');
  expect(claims.slice(0, 2)).toEqual([0, 0]);
  expect(broker.sent).toEqual(['orders first', 'orders second']);
});

it('sends what it keeps once it is committed, without waiting for the next poll, but not after a stop', async () => {
  const [outbox, broker] = [new MemoryTriggerOutbox(), new ScriptedBroker()];
  const relay = relayOf(outbox, broker);
  const commitKept = async (name: string): Promise<void> => {
    const transaction = new MemoryTransaction();
    const channels = [parseChannelName('orders', new ChannelsLimits())!];
    await relay.keep(app, [{ name, data: '', channels }], transaction);
    outbox.commit(transaction);
  };
  await commitKept('first');
  await until(() => broker.sent.length === 1, 'it is sent');
  await relay.beforeApplicationShutdown();
  await commitKept('second');
  await new Promise(setImmediate);
  expect(broker.sent).toEqual(['orders first']);
});
