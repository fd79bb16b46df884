import type { Worker as Forked } from 'node:cluster';
import { linkOver } from './process-link.js';
import type { Far, Link } from './link.js';
import type { ConfiguredSettings, Served } from '../reload/configured-settings.js';
import type { RelayedNode } from './relayed-node.js';

/** What happens to a {@link Worker}. */
export interface WorkerEvents {
  serves(worker: Worker): void;
  /** Nothing more comes from it. */
  gone(worker: Worker): void;
}

/** What every worker answers: it shows that its loop turns. */
export interface WorkerPulse {
  beat(): void;
}

/** What a worker counts, as objects of prom-client. */
export interface WorkerMetrics {
  ofWorker(): Promise<readonly object[]>;
}

/** What all workers count. */
export interface AllMetrics {
  ofAll(): Promise<readonly (readonly object[])[]>;
}

/** After so many beats without an answer, a worker is taken for stuck. */
const mostMissed = 6;

/** A worker, as the process that started it sees it. */
export class Worker {
  readonly link: Link;
  /** Its name among those that share state; nothing where Redis is what they share. */
  nodeId: string | undefined;
  /** Where it listens, once it does. */
  url: string | undefined;
  /** Why it could not start. */
  failure: string | undefined;
  private servesSince: number | undefined;
  private missed = 0;
  private readonly node: Far<RelayedNode>;
  private readonly pulse: Far<WorkerPulse>;
  private readonly ownMetrics: Far<WorkerMetrics>;
  private readonly settings: Far<Pick<ConfiguredSettings, 'replace'>>;

  constructor(
    private readonly forked: Forked,
    private readonly events: WorkerEvents,
  ) {
    this.link = linkOver(forked);
    this.node = this.link.far('node');
    this.pulse = this.link.far('pulse');
    this.ownMetrics = this.link.far('metrics');
    this.settings = this.link.far('configuration');
    this.link.serve('worker', this);
    // It may be gone while messages of it are still to be read.
    let left = 2;
    const ended = (): void => void (--left === 0 && events.gone(this));
    forked.once('exit', ended).once('disconnect', ended);
    // One that could not even be started: nothing else is told of it.
    forked.on('error', () => forked.process.pid === undefined && events.gone(this));
  }

  get pid(): number | undefined {
    return this.forked.process.pid;
  }

  get servedMs(): number {
    return this.servesSince === undefined ? 0 : performance.now() - this.servesSince;
  }

  /** Its exit code, or the signal that ended it. */
  get ending(): number | NodeJS.Signals | null {
    return this.forked.process.exitCode ?? this.forked.process.signalCode;
  }

  signal(name: NodeJS.Signals): void {
    this.forked.process.kill(name);
  }

  /** Called by the worker: its name. */
  isNamed(nodeId: string): void {
    this.nodeId = nodeId;
  }

  /** Called by the worker: it listens. */
  listens(url: string): void {
    this.url = url;
    this.servesSince = performance.now();
    this.events.serves(this);
  }

  /** Called by the worker: it cannot start, and ends. */
  fails(text: string): void {
    this.failure = text;
  }

  /** How many other workers are alive. @throws Unavailable when it is gone before it has heard so */
  tellOthers(count: number): Promise<void> {
    return this.node.others(count);
  }

  /** @throws Unavailable when it is gone before it has done so */
  takeOut(nodeId: string): Promise<void> {
    return this.node.takeOut(nodeId);
  }

  /** @throws Unavailable when it is gone before it has done so */
  configure(now: Served): Promise<void> {
    return this.settings.replace(now);
  }

  metrics(): Promise<readonly object[]> {
    return this.ownMetrics.ofWorker();
  }

  /** Looks whether it answers; called time and again. Who is stuck has clients that nobody serves, and is ended. */
  watch(): void {
    if (this.missed === mostMissed) this.signal('SIGKILL');
    this.missed += 1;
    this.pulse.beat().then(
      () => (this.missed = 0),
      () => undefined,
    );
  }
}
