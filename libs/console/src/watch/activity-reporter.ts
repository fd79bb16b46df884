import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { NodeRpc, ActivityTap, type Observed, type Observer } from 'rookery/channels';
import { ThisNode } from 'rookery/common';
import type { Activity } from '../contract.js';
import { activityOf } from './activity.js';
import { Trace } from './trace.js';

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
const mostInBatch = 500;
const mostCharacters = 512 * 1024;

/** In every process: sends activities to the processes whose viewers watch them. */
@Injectable()
export class ActivityReporter implements Observer, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly viewers = new Map<string, Viewer>();
  /** By app: all its viewers get the same. */
  private readonly batches = new Map<string, Batch>();
  private readonly watched = new Map<string, number>();
  private flushing: NodeJS.Timeout | undefined;
  private ending: NodeJS.Timeout | undefined;
  private count = 0;

  constructor(
    private readonly calls: NodeRpc,
    private readonly tap: ActivityTap,
    private readonly trace: Trace,
    private readonly node: ThisNode,
  ) {}

  onApplicationBootstrap(): void {
    this.calls.on<ViewMessage>('look', ({ apps }, from) => this.looked(from, apps));
    this.calls.open();
  }

  onApplicationShutdown(): void {
    this.end();
  }

  happened(observed: Observed): void {
    const activity = activityOf(observed, this.node.id, Date.now(), ++this.count);
    this.trace.add(observed, activity);
    if (this.watched.has(observed.appId)) this.add(observed.appId, activity);
  }

  passed(appId: string, channel: string, position: string): void {
    this.trace.passed(appId, channel, position, Date.now());
  }

  private looked(from: string, apps: readonly string[]): void {
    const until = performance.now() + lookMs;
    this.viewers.set(from, { apps: new Set(apps), until });
    this.trace.begin(Date.now());
    this.tap.observer = this;
    this.note();
    this.ending ??= setInterval(() => this.forget(), lookMs / 5).unref();
  }

  private forget(): void {
    const now = performance.now();
    for (const [node, { until }] of this.viewers) if (until < now) this.viewers.delete(node);
    this.note();
    if (this.viewers.size === 0) this.end();
  }

  private end(): void {
    this.tap.observer = undefined;
    clearInterval(this.ending);
    clearTimeout(this.flushing);
    this.ending = this.flushing = undefined;
    this.viewers.clear();
    this.watched.clear();
    this.batches.clear();
    this.trace.end();
  }

  private note(): void {
    this.watched.clear();
    for (const { apps } of this.viewers.values())
      for (const app of apps) this.watched.set(app, (this.watched.get(app) ?? 0) + 1);
  }

  private add(appId: string, activity: Activity): void {
    let batch = this.batches.get(appId);
    if (!batch) this.batches.set(appId, (batch = { activities: [], characters: 0, dropped: 0 }));
    this.flushing ??= setTimeout(() => this.flush(), batchMs).unref();
    if (batch.activities.length >= mostInBatch || batch.characters >= mostCharacters) batch.dropped += 1;
    else {
      batch.activities.push(activity);
      batch.characters += activity.data?.length ?? 0;
    }
  }

  private flush(): void {
    this.flushing = undefined;
    const batches = [...this.batches];
    this.batches.clear();
    for (const [node, { apps }] of this.viewers)
      for (const [appId, { activities, dropped }] of batches)
        if (apps.has(appId))
          this.calls.tell(node, 'happened', { appId, activities, dropped } satisfies ActivityMessage);
  }
}
