import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ActivityTap, NodeRpc, nodeSubject, type Observed, type ObservedEvent, type Observer } from 'rookery/channels';
import { type Awaitable, ThisNode } from '#common';
import type { Activity } from '../contract/index.js';
import { activityOf, eventActivityOf } from './activity.js';
import { ChannelRates } from './channel-rates.js';
import { EndpointHealths } from './endpoint-health.js';
import { Trace } from './trace.js';
import { TraceAnswers } from './trace-answers.js';

/** The message of a process with viewers, sent every 2 seconds. */
export interface ViewMessage {
  readonly apps: readonly string[];
}

/** The message that it receives. */
export interface ActivityMessage {
  readonly appId: string;
  readonly activities: readonly Activity[];
  /** The number of activities left out because there were too many. */
  readonly dropped: number;
}

export const viewedApps = nodeSubject<ViewMessage>('console.viewedApps');
export const activities = nodeSubject<ActivityMessage>('console.activities');

interface Viewer {
  readonly apps: ReadonlySet<string>;
  readonly until: number;
}

interface Batch {
  readonly activities: Activity[];
  characters: number;
  dropped: number;
}

/** A process that has been silent for this long has no viewers. */
const lookMs = 5000;
const batchMs = 100;
const maxInBatch = 500;
const maxCharacters = 512 * 1024;

/** In every process: has activities kept by the trace, and sends them to the processes whose viewers watch them. */
@Injectable()
export class ActivityReporter implements Observer, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly viewers = new Map<string, Viewer>();
  /** By app: all its viewers get the same. */
  private readonly batches = new Map<string, Batch>();
  private readonly watched = new Map<string, number>();
  private flushing: NodeJS.Timeout | undefined;
  private ending: NodeJS.Timeout | undefined;

  constructor(
    private readonly calls: NodeRpc,
    private readonly tap: ActivityTap,
    private readonly trace: Trace,
    private readonly answers: TraceAnswers,
    private readonly healths: EndpointHealths,
    private readonly rates: ChannelRates,
    private readonly node: ThisNode,
  ) {}

  onApplicationBootstrap(): void {
    this.calls.on(viewedApps, ({ apps }, from) => this.looked(from, apps));
    this.calls.open();
    if (this.trace.isOn) this.tap.observer = this;
  }

  onApplicationShutdown(): void {
    this.end();
    this.tap.observer = undefined;
  }

  observed(observed: Observed): void {
    const at = Date.now();
    const count = this.trace.add(observed, at);
    const { appId, webhook } = observed;
    if (appId === undefined) return;
    if (webhook) this.healths.tried(appId, webhook, at);
    if (this.isWatched(appId)) this.add(appId, () => activityOf(observed, { node: this.node.id, at, count }));
  }

  sent(event: ObservedEvent, position: Awaitable<string | undefined>, isOfClient = false): void {
    this.rates.count(event.appId, event.channel);
    if (!(position instanceof Promise)) this.accepted(event, position, isOfClient);
    // Otherwise not even worth a promise.
    else if (this.trace.hasRoom || this.isWatched(event.appId))
      position.then(
        (placed) => this.accepted(event, placed, isOfClient),
        () => undefined,
      );
  }

  passed(event: ObservedEvent, position: string): void {
    // Whether a member or a count was announced is asked nowhere.
    if (event.change === undefined) this.trace.passed(event, position);
  }

  private accepted(event: ObservedEvent, position = '', isOfClient = false): void {
    const count = this.trace.sent(event, position, isOfClient);
    if (this.isWatched(event.appId))
      this.add(event.appId, () =>
        eventActivityOf(event, position, isOfClient, { node: this.node.id, at: Date.now(), count }),
      );
  }

  private isWatched(appId: string): boolean {
    return this.watched.size > 0 && this.watched.has(appId);
  }

  private looked(from: string, apps: readonly string[]): void {
    const until = performance.now() + lookMs;
    const before = this.viewers.get(from)?.apps;
    this.viewers.set(from, { apps: new Set(apps), until });
    // This process may have begun after the page was opened, and missed that.
    for (const appId of apps) if (!before?.has(appId)) this.sendPast(from, appId);
    this.tap.observer = this;
    this.note();
    this.ending ??= setInterval(() => this.forget(), lookMs / 5).unref();
  }

  private sendPast(node: string, appId: string): void {
    const past = this.answers.recent(appId, () => true, maxInBatch).toReversed();
    let characters = 0;
    const few = past.filter(({ data }) => (characters += data?.length ?? 0) <= maxCharacters);
    if (few.length > 0) this.calls.notify(node, activities, { appId, activities: few, dropped: 0 });
  }

  private forget(): void {
    const now = performance.now();
    for (const [node, { until }] of this.viewers) if (until < now) this.viewers.delete(node);
    this.note();
    if (this.viewers.size === 0) this.end();
  }

  private end(): void {
    if (!this.trace.isOn) this.tap.observer = undefined;
    clearInterval(this.ending);
    clearTimeout(this.flushing);
    this.ending = this.flushing = undefined;
    this.viewers.clear();
    this.watched.clear();
    this.batches.clear();
  }

  private note(): void {
    this.watched.clear();
    for (const { apps } of this.viewers.values())
      for (const app of apps) this.watched.set(app, (this.watched.get(app) ?? 0) + 1);
  }

  private add(appId: string, make: () => Activity): void {
    let batch = this.batches.get(appId);
    if (!batch) this.batches.set(appId, (batch = { activities: [], characters: 0, dropped: 0 }));
    this.flushing ??= setTimeout(() => this.flush(), batchMs).unref();
    if (batch.activities.length >= maxInBatch || batch.characters >= maxCharacters) batch.dropped += 1;
    else {
      const activity = make();
      batch.activities.push(activity);
      batch.characters += activity.data?.length ?? 0;
    }
  }

  private flush(): void {
    this.flushing = undefined;
    const batches = [...this.batches];
    this.batches.clear();
    for (const [node, { apps }] of this.viewers)
      for (const [appId, { activities: latest, dropped }] of batches)
        if (apps.has(appId)) this.calls.notify(node, activities, { appId, activities: latest, dropped });
  }
}
