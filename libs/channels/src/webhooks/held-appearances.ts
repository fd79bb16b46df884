import { dropOldest, MemoryRequestRates } from '#common';
import type { App } from '../app/app.js';
import type { WebhookSettings } from '../channels.options.js';
import { type Appearance, type HoldableActivity, opposites, type PromptActivity } from './channel-events.js';
import { DelayQueue } from './delay-queue.js';

interface HeldAppearance {
  app: App;
  readonly event: Appearance;
  /** Of the latest change that it reports. */
  version: number | undefined;
  /** Whether what appeared has disappeared again. */
  isOver: boolean;
  /** The latest of each kind of event that follows in the channel. */
  readonly followers: Map<PromptActivity['name'], PromptActivity>;
}

/** How many events are held; beyond it, the first are sent early. */
const limit = 100_000;
/** For how many appearances the change is remembered that was sent last: some 5 MB if all names are of full length. */
const rememberedChanges = 5000;

/**
 * Sends channel_occupied, member_added and user_online at once, as long as an app has few of a kind in a second. Further
 * ones are held, and not sent if what appeared is gone by then: a client that enters and leaves ever new channels
 * causes no webhooks. The order of a channel's events is kept.
 */
export class HeldAppearances {
  private readonly held: DelayQueue<HeldAppearance>;
  private readonly promptPerSecond: number;
  private readonly rates = new MemoryRequestRates();
  /** The versions of the changes sent last, the earliest first: after a failover, storage answers some of them again. */
  private readonly sent = new Map<string, number>();

  constructor(
    { holdMs, promptPerSecond }: Pick<WebhookSettings, 'holdMs' | 'promptPerSecond'>,
    private readonly send: (app: App, event: PromptActivity) => void,
    /** The app's current settings; undefined once it is removed. */
    private readonly latest: (app: App) => App | undefined,
  ) {
    this.promptPerSecond = promptPerSecond;
    this.held = new DelayQueue(holdMs, limit, (held) => this.fallDue(held));
  }

  /** Sends the event now or later; not if the same change was added before. */
  add(app: App, event: Appearance, version?: number): void {
    const key = keyOf(app, event);
    const known = this.held.get(key);
    if (version !== undefined && this.isKnown(key, known, version)) return;
    if (known) {
      known.app = app;
      known.version = version;
      known.isOver = false;
    } else if (this.isPrompt(app, event)) {
      this.release(app, event);
      this.sends(key, version);
      this.send(app, event);
    } else {
      const characters = 'channel' in event ? event.channel.length : event.user_id.length;
      this.held.add(key, { app, event, version, isOver: false, followers: new Map() }, characters);
    }
  }

  /** @returns whether what disappears has a held appearance, which is then not sent: nor is this to be sent */
  cancel(app: App, event: HoldableActivity): boolean {
    if (this.held.isEmpty) return false;
    const known = this.held.get(keyOf(app, { ...event, name: opposites[event.name] }));
    if (!known || known.isOver) return false;
    known.isOver = true;
    known.followers.clear();
    return true;
  }

  /**
   * For an event of a channel whose channel_occupied may be held.
   * @returns whether it is sent after that, or with it not at all
   */
  follow(app: App, event: PromptActivity): boolean {
    if (event.name !== 'subscription_count' && event.name !== 'cache_miss') {
      this.release(app, event);
      return false;
    }
    const before = this.held.isEmpty ? undefined : this.held.get(channelKeyOf(app, event.channel));
    if (before && !before.isOver) before.followers.set(event.name, event);
    return before !== undefined;
  }

  /** Sends what is held, and stops holding. */
  close(): void {
    this.held.close();
  }

  /** Sends the channel's channel_occupied now, if it is held: the event is about to be sent. */
  private release(app: App, event: PromptActivity): void {
    if (this.held.isEmpty || !('channel' in event)) return;
    const before = this.held.take(channelKeyOf(app, event.channel));
    if (before) this.fallDue(before);
  }

  private isKnown(key: string, held: HeldAppearance | undefined, version: number): boolean {
    return held?.version === undefined ? this.sent.get(key) === version : version <= held.version;
  }

  private sends(key: string, version: number | undefined): void {
    this.sent.delete(key);
    if (version === undefined) return;
    this.sent.set(key, version);
    dropOldest(this.sent, rememberedChanges);
  }

  private isPrompt({ id }: App, { name }: Appearance): boolean {
    const atOnce = this.promptPerSecond;
    return this.rates.take([{ name: `${name} ${id}`, perSecond: atOnce, atOnce }]) === 0;
  }

  private fallDue({ app, event, version, isOver, followers }: HeldAppearance): void {
    const latest = isOver ? undefined : this.latest(app);
    if (!isOver) this.sends(keyOf(app, event), version);
    if (latest) for (const each of [event, ...followers.values()]) this.send(latest, each);
  }
}

const channelKeyOf = (app: App, channel: string): string => keyOf(app, { name: 'channel_occupied', channel });

/** Unambiguous: channels have no spaces. */
function keyOf({ id }: App, event: { readonly name: string; readonly channel?: string; readonly user_id?: string }) {
  const { name, channel = '', user_id: userId = '' } = event;
  return `${id.length} ${id} ${name} ${channel} ${userId}`;
}
