import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { NodeCalls, Observation, type Observed, type Observer } from 'rookery/channels';
import { ThisNode } from 'rookery/common';
import { type Happening, happeningOf } from './happening.js';
import { Trace } from './trace.js';

/** The message of a process with viewers, sent every 2 seconds. */
export interface LookWord {
  readonly apps: readonly string[];
}

/** The message that it receives. */
export interface HappenedWord {
  readonly appId: string;
  readonly happenings: readonly Happening[];
  /** The number of happenings left out because there were too many. */
  readonly dropped: number;
}

interface Watcher {
  readonly apps: ReadonlySet<string>;
  readonly until: number;
}

interface Batch {
  readonly happenings: Happening[];
  characters: number;
  dropped: number;
}

/** A process that has been silent for this long has no viewers. */
const lookMs = 5000;
const batchMs = 100;
const mostInBatch = 500;
const mostCharacters = 512 * 1024;

/** In every process: sends happenings to the processes whose viewers watch them. */
@Injectable()
export class Watchers implements Observer, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly watchers = new Map<string, Watcher>();
  /** By app: all its watchers get the same. */
  private readonly batches = new Map<string, Batch>();
  private readonly watched = new Map<string, number>();
  private flushing: NodeJS.Timeout | undefined;
  private ending: NodeJS.Timeout | undefined;
  private count = 0;

  constructor(
    private readonly calls: NodeCalls,
    private readonly observation: Observation,
    private readonly trace: Trace,
    private readonly node: ThisNode,
  ) {}

  onApplicationBootstrap(): void {
    this.calls.on<LookWord>('look', ({ apps }, from) => this.looked(from, apps));
    this.calls.open();
  }

  onApplicationShutdown(): void {
    this.end();
  }

  happened(observed: Observed): void {
    const happening = happeningOf(observed, this.node.id, Date.now(), ++this.count);
    this.trace.add(observed, happening);
    if (this.watched.has(observed.appId)) this.add(observed.appId, happening);
  }

  passed(appId: string, channel: string, position: string): void {
    this.trace.passed(appId, channel, position, Date.now());
  }

  private looked(from: string, apps: readonly string[]): void {
    const until = performance.now() + lookMs;
    this.watchers.set(from, { apps: new Set(apps), until });
    this.trace.begin(Date.now());
    this.observation.observer = this;
    this.note();
    this.ending ??= setInterval(() => this.forget(), lookMs / 5).unref();
  }

  private forget(): void {
    const now = performance.now();
    for (const [node, { until }] of this.watchers) if (until < now) this.watchers.delete(node);
    this.note();
    if (this.watchers.size === 0) this.end();
  }

  private end(): void {
    this.observation.observer = undefined;
    clearInterval(this.ending);
    clearTimeout(this.flushing);
    this.ending = this.flushing = undefined;
    this.watchers.clear();
    this.watched.clear();
    this.batches.clear();
    this.trace.end();
  }

  private note(): void {
    this.watched.clear();
    for (const { apps } of this.watchers.values())
      for (const app of apps) this.watched.set(app, (this.watched.get(app) ?? 0) + 1);
  }

  private add(appId: string, happening: Happening): void {
    let batch = this.batches.get(appId);
    if (!batch) this.batches.set(appId, (batch = { happenings: [], characters: 0, dropped: 0 }));
    this.flushing ??= setTimeout(() => this.flush(), batchMs).unref();
    if (batch.happenings.length >= mostInBatch || batch.characters >= mostCharacters) batch.dropped += 1;
    else {
      batch.happenings.push(happening);
      batch.characters += happening.data?.length ?? 0;
    }
  }

  private flush(): void {
    this.flushing = undefined;
    const batches = [...this.batches];
    this.batches.clear();
    for (const [node, { apps }] of this.watchers)
      for (const [appId, { happenings, dropped }] of batches)
        if (apps.has(appId)) this.calls.tell(node, 'happened', { appId, happenings, dropped } satisfies HappenedWord);
  }
}
