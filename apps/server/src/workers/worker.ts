import type { Worker as Forked } from 'node:cluster';
import type { Served } from '../reload/configured-settings.js';
import { rpcOverIpc } from './ipc-link.js';
import { primaryServices, workerServices } from './link-services.js';
import type { RpcLink } from './rpc-link.js';

/** The events of a {@link Worker}. */
export interface WorkerEvents {
  serves(worker: Worker): void;
  /** The worker is gone: nothing more comes from it. */
  gone(worker: Worker): void;
  /** The worker takes no more events. Resolves when none does. */
  stoppedTaking(worker: Worker): Promise<void>;
}

/** Every worker serves this; an answer shows that its event loop is not blocked. */
export interface WorkerPulse {
  beat(): void;
}

/** A worker's metrics, as objects of prom-client. */
export interface WorkerMetrics {
  ofWorker(): Promise<readonly object[]>;
}

/** The metrics of all workers. */
export interface AllMetrics {
  ofAll(): Promise<readonly (readonly object[])[]>;
}

/** How long messages of an ended worker may stay unread. */
const maxUnreadMs = 1000;

/** How long a worker has to answer a call: a blocked one must not hold up the others. */
const answerMs = 5000;

/** Whether all workers have started. */
export interface Boot {
  /** False until all workers listen; after that, dead workers are replaced while the others serve. */
  isOver(): boolean;
}

/** After this many unanswered beats, a worker counts as stuck. */
const maxMissed = 6;

/** A worker, as the process that started it sees it. */
export class Worker {
  readonly link: RpcLink;
  /** Its name among the processes that share state; undefined where they share a store. */
  nodeId: string | undefined;
  /** The URL at which it listens, once it does. */
  url: string | undefined;
  /** The reason why it could not start. */
  failure: string | undefined;
  private servesSince: number | undefined;
  private missed = 0;
  private isReportedGone = false;

  constructor(
    private readonly forked: Forked,
    private readonly events: WorkerEvents,
  ) {
    this.link = rpcOverIpc(forked, { answerMs });
    this.link.serve(primaryServices.worker, this);
    // Messages of an ended process may still be unread; all are read once the channel is closed. Node does not report
    // the close if a connection was on its way to that process.
    let left = 2;
    const ended = (): void => void (--left === 0 && this.isGone());
    forked.once('exit', ended).once('disconnect', ended);
    forked.once('exit', () => setTimeout(() => this.isGone(), maxUnreadMs));
    // The process could not be started: no other event follows.
    forked.on('error', () => forked.process.pid === undefined && this.isGone());
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

  /** Whether it ended before it listened, or could not be started: replacements would fail as well. */
  get couldNotStart(): boolean {
    return this.servesSince === undefined && typeof this.ending !== 'string';
  }

  signal(name: NodeJS.Signals): void {
    this.forked.process.kill(name);
  }

  /** Called by the worker, with its name. */
  isNamed(nodeId: string): void {
    this.nodeId = nodeId;
  }

  /** Called by the worker, once it listens. */
  listens(url: string): void {
    this.url = url;
    this.servesSince = performance.now();
    this.events.serves(this);
  }

  /** Called by the worker that stops and takes no more events. Resolves when no worker does. */
  stoppedTaking(): Promise<void> {
    return this.events.stoppedTaking(this);
  }

  /** Called by the worker when it cannot start; it then ends. */
  fails(text: string): void {
    this.failure = text;
  }

  /** Sends the number of other live workers. @throws Unavailable when the worker has not received it */
  sendCountOfOthers(count: number): Promise<void> {
    return this.link.call(workerServices.node, 'others', count);
  }

  /** @throws Unavailable when it has not done so */
  takeOut(nodeId: string): Promise<void> {
    return this.link.call(workerServices.node, 'takeOut', nodeId);
  }

  /** @throws Unavailable when it has not done so */
  configure(now: Served): Promise<void> {
    return this.link.call(workerServices.configuration, 'replace', now);
  }

  metrics(): Promise<readonly object[]> {
    return this.link.call(workerServices.metrics, 'ofWorker');
  }

  /** Checks regularly whether the worker responds. A stuck worker no longer serves its clients, and is ended. */
  watch(): void {
    if (this.missed === maxMissed) this.signal('SIGKILL');
    this.missed += 1;
    this.link.call(workerServices.pulse, 'beat').then(
      () => (this.missed = 0),
      () => undefined,
    );
  }

  private isGone(): void {
    if (this.isReportedGone) return;
    this.isReportedGone = true;
    this.events.gone(this);
  }
}
