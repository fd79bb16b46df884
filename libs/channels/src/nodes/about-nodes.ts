import { hostname } from 'node:os';
import { Logger } from '@nestjs/common';
import { version } from '#common';
import type { LeaseStore, NodeDescription } from './lease.store.js';

/** Compares the processes' descriptions of themselves, to detect incompatible ones. */
export class AboutNodes {
  private readonly logger = new Logger('Nodes');
  /** This process's description. */
  readonly own: NodeDescription;
  private alive = 0;

  constructor(
    private readonly store: LeaseStore,
    private readonly nodeId: string,
    apps: string,
  ) {
    this.own = { where: `${hostname()}:${process.pid}`, version, apps };
  }

  /**
   * Logs the number of live processes when it changes, and at the start any mismatch. Only newcomers read the
   * descriptions: if all did at each change, the traffic of a rolling restart would grow with the cube of the processes.
   */
  async compare(alive: number): Promise<void> {
    if (alive === this.alive) return;
    const isFirst = this.alive === 0;
    this.alive = alive;
    this.logger.log(`${alive} ${alive === 1 ? 'process is' : 'processes are'} alive on this ${this.store.name}`);
    if (!isFirst) return;
    for (const other of await this.store.others(this.nodeId)) this.check(other);
  }

  private check(other: NodeDescription): void {
    const { own, logger, store } = this;
    if (other.version !== own.version)
      logger.warn(`${other.where} runs version ${other.version}, this process runs ${own.version}`);
    if (own.apps !== '' && other.apps !== '' && other.apps !== own.apps)
      logger.warn(`${other.where} has other apps or other secrets than this process, ${store.scope}`);
  }
}
