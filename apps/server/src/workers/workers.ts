import cluster from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { previousProcess, WebhookSettings } from 'rookery/internal/channels';
import type { Served } from '../reload/configured-settings.js';
import { DeadWorkers } from './dead-workers.js';
import { primaryServices } from './link-services.js';
import { primaryVariable } from './primary-variable.js';
import type { SharedPorts } from './shared-ports.js';
import { RestartDelays } from './restart-delays.js';
import { type AllMetrics, type Boot, Worker, type WorkerEvents } from './worker.js';

const watchMs = 5000;
/** How long workers have to receive the notice that they end together. */
const maxTellingMs = 1000;

/** The options of {@link Workers}. */
export interface WorkersOptions {
  readonly count: number;
  /** The shared state, if this process keeps it and announces workers to each other; otherwise a store does. */
  readonly shared?: SharedPorts | undefined;
  /** The metrics of this process itself. */
  readonly metrics?: Pick<Registry, 'getMetricsAsJSON'>;
  /** How long the clients of a killed process may take to return, in milliseconds. */
  readonly returnMs?: number | undefined;
}

/** Processes of this server on one port, which this process starts, watches and replaces. */
export class Workers implements WorkerEvents, AllMetrics, Boot {
  private readonly logger = new Logger('Workers');
  private readonly delays = new RestartDelays();
  /** Workers that were started and are not gone. */
  private readonly all = new Set<Worker>();
  private readonly serving = new Set<Worker>();
  /** Workers that may still take events, while all stop. */
  private readonly taking = new Set<Worker>();
  private noneTakes: (() => void)[] = [];
  private readonly dead = new DeadWorkers(this.serving);
  /** Pending until all workers listen. */
  private started: { resolve(url: string): void; reject(error: Error): void } | undefined;
  private isBooted = false;
  private isStopping = false;
  private stopped: ((exitCode: number) => void) | undefined;
  private exitCode = 0;
  /** A later configuration than the one they were started with. */
  private configuration: Served | undefined;

  constructor(private readonly options: WorkersOptions) {}

  /**
   * Resolves with the URL when all workers listen.
   * @throws Error with the reason why one could not start
   */
  start(): Promise<string> {
    for (let n = 0; n < this.options.count; n++) this.fork();
    // The workers keep this process alive.
    setInterval(() => this.watch(), watchMs).unref();
    return new Promise((resolve, reject) => (this.started = { resolve, reject }));
  }

  /**
   * Passes a signal on, and resolves when all workers are gone. Answers the exit code: 0 if all ended in good order.
   */
  async stop(signal: NodeJS.Signals): Promise<number> {
    this.isStopping = true;
    for (const worker of this.serving) this.taking.add(worker);
    // No worker may hand its clients over to one that ends as well.
    if (this.options.shared)
      await Promise.race([
        Promise.allSettled(Array.from(this.serving, (worker) => worker.sendCountOfOthers(0))),
        delay(maxTellingMs),
      ]);
    for (const worker of this.all) worker.signal(signal);
    return new Promise((resolve) => {
      this.stopped = resolve;
      this.stopIfGone();
    });
  }

  /** Makes all workers serve these apps and instances from now on, including workers that start later. */
  async configure(now: Served): Promise<void> {
    this.configuration = now;
    // A worker that is gone needs no update.
    await Promise.allSettled(Array.from(this.serving, (worker) => worker.configure(now)));
  }

  serves(worker: Worker): void {
    this.serving.add(worker);
    if (this.configuration) worker.configure(this.configuration).catch(() => undefined);
    this.sendCounts();
    void this.dead.takeOut();
    if (!this.started || this.serving.size < this.options.count) return;
    this.isBooted = true;
    this.takeOutPrevious();
    this.started.resolve(worker.url!); // It has just said so.
    this.started = undefined;
  }

  private takeOutPrevious(): void {
    const { shared, returnMs = new WebhookSettings().returnMs } = this.options;
    if (shared?.hasLeftBehind) setTimeout(() => void this.dead.add(previousProcess), returnMs).unref();
  }

  gone(worker: Worker): void {
    if (!this.all.delete(worker)) return;
    this.serving.delete(worker);
    this.takesNoMore(worker);
    worker.link.close();
    this.options.shared?.leave(worker.link);
    this.sendCounts();
    if (worker.nodeId !== undefined) void this.dead.add(worker.nodeId);
    if (this.isStopping) return this.stopIfGone(worker);
    const why = worker.failure ?? `a worker ended with ${String(worker.ending)}`;
    if (this.started && worker.couldNotStart) this.giveUp(why);
    else this.replace(worker, why);
  }

  stoppedTaking(worker: Worker): Promise<void> {
    return new Promise((resolve) => {
      this.noneTakes.push(resolve);
      this.takesNoMore(worker);
    });
  }

  isOver(): boolean {
    return this.isBooted;
  }

  /** Leaves out workers that do not answer: they are gone, or stuck. */
  async ofAll(): Promise<readonly (readonly object[])[]> {
    const answers = await Promise.allSettled(Array.from(this.serving, (worker) => worker.metrics()));
    const ofWorkers = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    const { metrics } = this.options;
    return metrics ? [...ofWorkers, await metrics.getMetricsAsJSON()] : ofWorkers;
  }

  private fork(): void {
    const worker = new Worker(cluster.fork({ [primaryVariable]: process.pid }), this);
    this.all.add(worker);
    worker.link.serve(primaryServices.metrics, this);
    worker.link.serve(primaryServices.boot, this);
    this.options.shared?.join(worker.link);
  }

  /** Reports the reason when all workers are gone: another one left starting would log a misleading reason. */
  private giveUp(why: string): void {
    const { reject } = this.started!;
    this.started = undefined;
    void this.stop('SIGTERM').then(() => reject(new Error(why)));
  }

  private replace(worker: Worker, why: string): void {
    const delayMs = this.delays.next(worker.servedMs);
    const when = delayMs === 0 ? '' : ` in ${delayMs / 1000} s`;
    this.logger.warn(`Worker ${worker.pid} is gone (${why}): another takes its place${when}`);
    setTimeout(() => this.isStopping || this.fork(), delayMs);
  }

  private sendCounts(): void {
    if (!this.options.shared || this.isStopping) return;
    // A worker that is gone needs no update.
    for (const worker of this.serving) worker.sendCountOfOthers(this.serving.size - 1).catch(() => undefined);
  }

  private takesNoMore(worker: Worker): void {
    this.taking.delete(worker);
    if (this.taking.size === 0) for (const resolve of this.noneTakes.splice(0)) resolve();
  }

  private watch(): void {
    for (const worker of this.serving) worker.watch();
  }

  private stopIfGone(worker?: Worker): void {
    // A worker that the signal ended during its start had nothing to finish.
    if (typeof worker?.ending === 'number' && worker.ending !== 0) this.exitCode = 1;
    if (this.all.size === 0) this.stopped?.(this.exitCode);
  }
}
