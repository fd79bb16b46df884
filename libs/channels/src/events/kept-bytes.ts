import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Ledger, type Quota } from '#common';
import type { App } from '../app/app.js';
import { historyOf } from '../app/history-rule.js';
import { Broker, type StoreRoom } from '../broker/broker.js';
import { tooMuchKept } from '../channels.errors.js';
import { ChannelsSettings } from '../channels.options.js';
import { ChannelsMetrics } from '../metrics.js';
import type { ChannelName } from '../protocol/channel-name.js';
import { answerMs } from '../storage/idempotency.keys.js';
import { besideText, KeptChannel, type KeptEventSize } from './kept-channel.js';
import { KeptText } from './kept-text.js';
import type { CheckedEvent } from './trigger-request.js';

/** Last events and histories of channels, and answers to requests with an `Idempotency-Key`; features add theirs. */
export interface KeptKinds {
  readonly keptEvents: true;
  readonly keptAnswers: true;
}
type Kept = keyof KeptKinds;

type Holder = 'app' | 'process';

interface Counted {
  readonly appId: string;
  readonly channel: KeptChannel;
  /** Of its bytes, those that its app's account has. */
  counted: number;
}

/** A UTF-16 code unit takes at most this in UTF-8. */
const maxBytesPerCharacter = 3;
/** Shorter texts are kept with each channel. */
const minSharedLength = 512;
/** How often expired events are looked for while there is no room, in milliseconds. */
const sweepMs = 1000;
/** How often they are looked for otherwise, while channels keep anything. */
const quietSweepMs = 60_000;

/**
 * How much the apps have this process keep, wherever it is kept. Processes that share a store share the limits. Beyond an
 * app's limit its events are refused; beyond that of the process, those of the apps that keep most. What is kept nowhere
 * is never refused.
 */
@Injectable()
export class KeptBytes implements OnApplicationBootstrap {
  private readonly logger = new Logger('Channels');
  private readonly quotas: Record<Holder, { [Each in Kept]?: Quota }> = { app: {}, process: {} };
  private readonly ledger: Ledger<'app', Kept>;
  /** By app and name. */
  private readonly channels = new Map<string, Map<string, Counted>>();
  /** The store's latest answer, and how much it lets the process and an app have it keep. */
  private room: StoreRoom | undefined;
  private inRoom: Readonly<Record<Holder, number>> | undefined;
  private sweptAt = -Infinity;
  private sweeping: NodeJS.Timeout | undefined;

  constructor(
    private readonly settings: ChannelsSettings,
    private readonly metrics: ChannelsMetrics,
    private readonly broker: Broker,
  ) {
    for (const holder of ['app', 'process'] as const)
      this.quotas[holder].keptEvents = quotaOf(() => this.mostEvents(holder));
    this.ledger = new Ledger(this.quotas);
    this.limit('keptAnswers', answerMs / 1000);
    metrics.showHeld(() => {
      this.sweep();
      return this.ledger.totals;
    });
  }

  /** Counts what is kept from before. Without it, nothing is refused that would not be otherwise. */
  async onApplicationBootstrap(): Promise<void> {
    const { processes = 1 } = this.broker.room ?? {};
    try {
      for await (const page of this.broker.keptSizes?.() ?? [])
        for (const { appId, channel, events = 1, bytes, ...kept } of page)
          this.keep(appId, channel, { ...kept, bytes: (bytes + events * besideText) / processes - besideText });
    } catch (error) {
      this.logger.warn(`What apps keep from before is not counted: ${String(error)}`);
    }
  }

  /** @throws ChannelsApiError 429 when there is no room for the events */
  assertRoomFor(app: App, events: readonly CheckedEvent[]): void {
    // As long as all that could be kept fits, what is kept already need not be looked up.
    const inHistory = app.history.length > 0 ? 1 : 0;
    let most = 0;
    for (const { data, channels } of events)
      for (const { isCache } of channels)
        most += ((isCache ? 1 : 0) + inHistory) * (besideText + maxBytesPerCharacter * data.length);
    if (most === 0 || this.fitsAnywhere(most) || !this.ledger.of('app', app.id).refusing('keptEvents', most)) return;
    let growth = 0;
    for (const event of events) {
      const text = this.textOf(app, event);
      if (text) growth += text.bytes - this.replacedBy(app, event);
      for (const channel of event.channels) growth += this.growth(app, channel, event.data, text);
    }
    if (growth > 0) this.assertRoom(app, 'keptEvents', growth);
  }

  /** What the store keeps once for all cache channels of an event; undefined where each keeps a copy. */
  textOf(app: App, { data, channels }: CheckedEvent): KeptText | undefined {
    if (channels.length === 1 || data.length < minSharedLength || !this.broker.sharesTexts) return undefined;
    if (channels.filter(({ isCache }) => isCache).length < 2) return undefined;
    return new KeptText(Buffer.byteLength(data), (bytes) => this.ledger.of('app', app.id).add('keptEvents', bytes));
  }

  /** @throws ChannelsApiError 429 */
  assertRoom(app: App, what: Kept, bytes: number): void {
    if (!this.hasRoom(app, what, bytes)) throw tooMuchKept();
  }

  hasRoom(app: App, what: Kept, bytes: number): boolean {
    const account = this.ledger.of('app', app.id);
    let refusing = account.refusing(what, bytes);
    if (refusing && performance.now() - this.sweptAt >= sweepMs) {
      this.sweep();
      refusing = account.refusing(what, bytes);
    }
    if (refusing) this.metrics.limitReached(refusing === account ? 'keptBytes' : 'processKeptBytes');
    return !refusing;
  }

  /** Counts an event that is being kept. */
  keep(appId: string, channel: string, event: KeptEventSize): void {
    let ofApp = this.channels.get(appId);
    if (!ofApp) this.channels.set(appId, (ofApp = new Map()));
    let known = ofApp.get(channel);
    if (!known) ofApp.set(channel, (known = { appId, channel: new KeptChannel(), counted: 0 }));
    const now = performance.now();
    this.count(known, known.channel.add(event, now));
    this.sweepLater();
  }

  /** Limits what is kept for so many seconds. */
  limit(what: Exclude<Kept, 'keptEvents'>, seconds: number): void {
    for (const holder of ['app', 'process'] as const)
      this.quotas[holder][what] = quotaOf(() => this.most(holder), seconds);
  }

  /** Counts what is forgotten with time. */
  add(app: App, what: Exclude<Kept, 'keptEvents'>, bytes: number): void {
    this.ledger.of('app', app.id).add(what, bytes);
  }

  /** This process's part of a limit. */
  private share(limit: 'keptBytes' | 'processKeptBytes'): number {
    const { processes = 1, maxBytes = Infinity } = this.broker.room ?? {};
    return Math.min(this.settings.limits[limit], maxBytes) / processes;
  }

  private most(holder: Holder, process = this.share('processKeptBytes')): number {
    return holder === 'process' ? process : Math.min(this.share('keptBytes'), process / 2);
  }

  /** The store's room counts too: it may keep what was triggered before a restart. It is asked about at each event. */
  private mostEvents(holder: Holder): number {
    const { room } = this.broker;
    if (!this.inRoom || room !== this.room) {
      this.room = room;
      const { freeBytes = Infinity, processes = 1 } = room ?? {};
      const free = this.ledger.process.held('keptEvents') + freeBytes / processes;
      const process = Math.min(this.most('process'), free);
      this.inRoom = { process, app: this.most('app', process) };
    }
    return this.inRoom[holder];
  }

  /** The texts that no channel would have any more after an event. */
  private replacedBy(app: App, { channels }: CheckedEvent): number {
    const held = new Map<KeptText, number>();
    const now = performance.now();
    for (const { name, isCache } of channels) {
      const text = isCache ? this.channels.get(app.id)?.get(name)?.channel.textAt(now) : undefined;
      if (text) held.set(text, (held.get(text) ?? 0) + 1);
    }
    let bytes = 0;
    for (const [text, count] of held) if (text.isHeldBy(count)) bytes += text.bytes;
    return bytes;
  }

  private growth(app: App, { name, isCache }: ChannelName, data: string, text: KeptText | undefined): number {
    const history = historyOf(app, name, this.settings.limits);
    if (!isCache && !history) return 0;
    const cacheSeconds = isCache ? this.settings.cacheTtlSeconds : undefined;
    const known = this.channels.get(app.id)?.get(name);
    const { channel, counted } = known ?? { channel: new KeptChannel(), counted: 0 };
    return (
      channel.bytesWith({ bytes: Buffer.byteLength(data), cacheSeconds, history, text }, performance.now()) - counted
    );
  }

  private sweep(): void {
    const now = (this.sweptAt = performance.now());
    for (const [appId, ofApp] of this.channels) {
      for (const [name, each] of ofApp) if (this.recount(each, now) === 0) ofApp.delete(name);
      if (ofApp.size === 0) this.channels.delete(appId);
    }
  }

  private sweepLater(): void {
    this.sweeping ??= setTimeout(() => {
      this.sweeping = undefined;
      this.sweep();
      if (this.channels.size > 0) this.sweepLater();
    }, quietSweepMs).unref();
  }

  /** While the process holds less than one app may, no account is full. */
  private fitsAnywhere(bytes: number): boolean {
    return this.ledger.process.held('keptEvents') + bytes <= this.mostEvents('app');
  }

  private recount(known: Counted, now: number): number {
    return this.count(known, known.channel.bytes(now));
  }

  private count(known: Counted, bytes: number): number {
    if (bytes !== known.counted) this.ledger.of('app', known.appId).add('keptEvents', bytes - known.counted);
    return (known.counted = bytes);
  }
}

/** What the store has room for may change. @param seconds after which all of it is forgotten, if that goes by time */
const quotaOf = (most: () => number, seconds = Infinity): Quota => ({
  get most() {
    return most();
  },
  get perSecond() {
    return seconds === Infinity ? 0 : most() / seconds;
  },
});
