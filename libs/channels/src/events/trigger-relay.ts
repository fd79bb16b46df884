import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { askedGauge, isStorable } from '#common';
import type { HostTransaction } from 'rookery/jobs';
import type { App } from '../app/app.js';
import { limitsOf } from '../app/app-limits.js';
import { Apps } from '../access/apps.js';
import { badRequest } from '../channels.errors.js';
import { ChannelsSettings } from '../channels.options.js';
import { ChannelsMetrics } from '../metrics.js';
import { parseChannelName } from '../protocol/channel-name.js';
import { type CommittedEvent, NoTriggerOutbox, type TriggerBacklog, TriggerOutbox } from '../storage/trigger.outbox.js';
import { EventSender } from './event-sender.js';
import { PolledWork } from './polled-work.js';
import { type TriggeredEvent, TriggerSteps } from './trigger-step.js';

/** How many events are sent before they are removed from the outbox; after a crash, these may be sent again. */
const atOnce = 100;

/**
 * Sends the events that hosts trigger in their transactions, once these are committed: channels in parallel, the events
 * of one channel in order. One process at a time is the relay; when it dies, another takes over within a lease.
 */
@Injectable()
export class TriggerRelay implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Triggers');
  private readonly owner = randomUUID();
  private readonly work = new PolledWork(
    () => this.relay(),
    (error) => this.failed(error),
  );
  /** Whether the failure is already logged. */
  private isFailing = false;

  constructor(
    private readonly outbox: TriggerOutbox,
    private readonly apps: Apps,
    private readonly sender: EventSender,
    private readonly steps: TriggerSteps,
    private readonly settings: ChannelsSettings,
    private readonly metrics: ChannelsMetrics,
  ) {}

  onApplicationBootstrap(): void {
    if (this.outbox instanceof NoTriggerOutbox || !this.settings.triggerRelay.enabled) return;
    this.showBacklog();
    const { pollMs, leaseMs } = this.settings.triggerRelay;
    // Until then, another relay may hold the events, and die.
    this.work.start(pollMs, (wake) => this.outbox.watch(wake), 3 * leaseMs);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.work.stop();
  }

  /**
   * Stores events until the host's transaction is committed.
   * @throws ChannelsApiError 400 for a text that a database cannot store
   */
  async keep(app: App, events: readonly TriggeredEvent[], transaction: HostTransaction): Promise<void> {
    if (!events.every(({ name, data }) => isStorable(name) && isStorable(data)))
      throw badRequest('name and data of an event within a transaction must not contain NUL or half a surrogate pair');
    const createdAt = Date.now();
    const outgoing = events.flatMap(({ name, data, socketId, channels }) =>
      channels.map((channel) => ({
        id: randomUUID(),
        appId: app.id,
        channel: channel.name,
        name,
        data,
        ...(socketId !== undefined && { socketId }),
        createdAt,
      })),
    );
    // At once, instead of at the next poll.
    await this.outbox.add(outgoing, { transaction, committed: () => this.work.wake() });
  }

  private failed(error: unknown): void {
    if (!this.isFailing) this.logger.error('Triggers of transactions could not be sent; they are kept', error);
    this.isFailing = true;
  }

  /** One pass over all waiting events. An event that cannot be sent now delays only its own channel. */
  private async relay(): Promise<void> {
    const stuck = new Map<string, unknown>();
    let claimed: readonly CommittedEvent[] = [];
    let isRelay = false;
    do {
      const { leaseMs } = this.settings.triggerRelay;
      // The outbox counts whole milliseconds: another relay may claim almost one sooner.
      const leasedUntil = performance.now() + leaseMs - 1;
      const after = claimed.at(-1)?.position ?? 0;
      claimed = await this.outbox.claim({ owner: this.owner, now: Date.now(), leaseMs, after, limit: atOnce });
      isRelay ||= claimed.length > 0;
      const sent = await Promise.all(
        channelsOf(claimed).map(([channel, events]) => this.sendInOrder(channel, events, leasedUntil, stuck)),
      );
      if (sent.some(({ length }) => length > 0)) await this.outbox.done(this.owner, sent.flat());
    } while (claimed.length === atOnce && this.work.isOn);
    if (isRelay) {
      await this.outbox.release(this.owner);
      this.work.keepLooking();
    }
    for (const error of stuck.values()) throw error;
    this.isFailing = false;
  }

  /** Answers the ids of the events that were sent. */
  private async sendInOrder(
    channel: string,
    events: readonly CommittedEvent[],
    leasedUntil: number,
    stuck: Map<string, unknown>,
  ): Promise<readonly string[]> {
    const sent: string[] = [];
    try {
      for (const event of events) {
        // The next relay sends the rest.
        if (stuck.has(channel) || performance.now() >= leasedUntil) break;
        if (await this.isSent(event)) sent.push(event.id);
      }
    } catch (error) {
      stuck.set(channel, error);
    }
    return sent;
  }

  private async isSent(event: CommittedEvent): Promise<boolean> {
    const app = await this.apps.findById(event.appId);
    const channel = app && parseChannelName(event.channel, limitsOf(app, this.settings.limits));
    if (!app || !channel) {
      await this.bury(event, app);
      return false;
    }
    await this.steps.before(app, [{ ...event, channels: [channel] }]);
    const asks = this.steps.asks(event.data);
    await this.sender.send(app, channel, asks === undefined ? event : { ...event, asks });
    return true;
  }

  private async bury({ id, appId, channel, name }: CommittedEvent, app: App | undefined): Promise<void> {
    const reason = app ? 'the app allows no such channel' : 'there is no such app';
    this.logger.error(
      `The event ${JSON.stringify(name)} (${id}) for ${JSON.stringify(channel)} of app ${appId} cannot be sent: ${reason}`,
    );
    this.metrics.triggersBuried.inc();
    await this.outbox.bury(this.owner, id, reason, Date.now());
  }

  private showBacklog(): void {
    const reported = (value: (backlog: TriggerBacklog) => number) => () =>
      this.outbox.backlog().then(value, () => Number.NaN);
    askedGauge(this.metrics.registry, {
      name: 'rookery_channels_waiting_triggers',
      help: 'Events of committed transactions that are not sent yet, over all processes',
      value: reported(({ events }) => events),
    });
    askedGauge(this.metrics.registry, {
      name: 'rookery_channels_oldest_waiting_trigger_seconds',
      help: 'The age of the oldest of them in seconds; 0 when none is waiting',
      value: reported(({ oldestAt }) => (oldestAt === undefined ? 0 : Math.max(0, Date.now() - oldestAt) / 1000)),
    });
  }
}

/** Groups events by channel, in order. */
function channelsOf(events: readonly CommittedEvent[]): (readonly [channel: string, CommittedEvent[]])[] {
  const channels = new Map<string, CommittedEvent[]>();
  for (const event of events) {
    const key = `${event.appId} ${event.channel}`;
    const others = channels.get(key);
    if (others) others.push(event);
    else channels.set(key, [event]);
  }
  return [...channels];
}
