import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { hostname } from 'node:os';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { OpenConnections } from 'rookery/internal/channels';
import { version } from 'rookery/internal/common';
import { Samples } from './samples.js';
import type { NodeFigures } from '../contract/index.js';

/** After this long without requests, event loop delay is no longer measured. */
const idleMs = 30_000;
const resolutionMs = 20;

/** The figures of this process. */
@Injectable()
export class OwnFigures implements OnApplicationShutdown {
  private delay: IntervalHistogram | undefined;
  private idle: NodeJS.Timeout | undefined;
  private usage = { cpu: process.cpuUsage(), at: performance.now(), share: 0 };

  constructor(
    private readonly connections: OpenConnections,
    private readonly samples: Samples,
  ) {}

  onApplicationShutdown(): void {
    this.rest();
  }

  now(): NodeFigures {
    const { heapUsed, rss } = process.memoryUsage();
    const { triggers, messages } = this.samples.latest;
    return {
      pid: process.pid,
      host: hostname(),
      version,
      startedAt: Math.round(performance.timeOrigin),
      ...this.connections.figures(),
      triggersPerSecond: triggers,
      messagesPerSecond: messages,
      cpu: this.cpu(),
      heapBytes: heapUsed,
      rssBytes: rss,
      loopDelayMs: this.loopDelay(),
    };
  }

  /** The figures since the previous request, if that was recent. */
  private cpu(): number {
    const now = performance.now();
    const elapsedMs = now - this.usage.at;
    if (elapsedMs < 500) return this.usage.share;
    const { user, system } = process.cpuUsage(this.usage.cpu);
    this.usage = { cpu: process.cpuUsage(), at: now, share: (user + system) / 1000 / elapsedMs };
    return this.usage.share;
  }

  private loopDelay(): number {
    clearTimeout(this.idle);
    this.idle = setTimeout(() => this.rest(), idleMs).unref();
    if (!this.delay) {
      this.delay = monitorEventLoopDelay({ resolution: resolutionMs });
      this.delay.enable();
      return 0;
    }
    const { mean } = this.delay;
    this.delay.reset();
    return Number.isNaN(mean) ? 0 : Math.max(0, mean / 1e6 - resolutionMs);
  }

  private rest(): void {
    clearTimeout(this.idle);
    this.delay?.disable();
    this.delay = undefined;
  }
}
