import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { hostname } from 'node:os';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { NodeRpc, nodeSubject, OpenConnections } from 'rookery/internal/channels';
import { ThisNode, version } from 'rookery/internal/common';
import { Samples } from '../charts/samples.js';
import type { NodeFigures, Overview } from '../contract/index.js';

const nodeFigures = nodeSubject<object, NodeFigures>('console.nodeFigures');

/** After this long without requests, event loop delay is no longer measured. */
const idleMs = 30_000;
const resolutionMs = 20;

/** Answers the figures of each process. */
@Injectable()
export class ClusterNodes implements OnApplicationBootstrap, OnApplicationShutdown {
  private delay: IntervalHistogram | undefined;
  private idle: NodeJS.Timeout | undefined;
  private usage = { cpu: process.cpuUsage(), at: performance.now(), share: 0 };

  constructor(
    private readonly calls: NodeRpc,
    private readonly connections: OpenConnections,
    private readonly samples: Samples,
    private readonly node: ThisNode,
  ) {}

  onApplicationBootstrap(): void {
    this.calls.on(nodeFigures, () => this.own());
  }

  onApplicationShutdown(): void {
    this.rest();
  }

  async all(): Promise<Pick<Overview, 'nodes' | 'missingNodes'>> {
    const { answers, missing } = await this.calls.askAll(nodeFigures, {});
    const nodes = answers.map(({ node, answer }) => ({ id: node, here: node === this.node.id, ...answer }));
    return {
      nodes: nodes.toSorted((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1)),
      missingNodes: missing,
    };
  }

  private own(): NodeFigures {
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
