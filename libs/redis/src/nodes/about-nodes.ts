import { hostname } from 'node:os';
import { Logger } from '@nestjs/common';
import { isObject, version } from '#common';
import { json, text, UnreadableAnswer } from '../connection/answers.js';
import type { RedisConnection } from '../connection/redis.connection.js';

interface About {
  /** Host and process id. */
  readonly where: string;
  readonly version: string;
  /** A digest of the apps and their secrets; empty if the apps are not in the settings. */
  readonly apps: string;
}

/** Compares the processes' descriptions of themselves, to detect incompatible ones. */
export class AboutNodes {
  private readonly logger = new Logger('Nodes');
  private readonly own: About;
  private alive = 0;

  constructor(
    private readonly redis: RedisConnection,
    private readonly nodeId: string,
    apps: string,
  ) {
    this.own = { where: `${hostname()}:${process.pid}`, version, apps };
  }

  /** This process's description. */
  get mine(): string {
    return JSON.stringify(this.own);
  }

  /**
   * Logs the number of live processes when it changes, and at the start any mismatch. Only newcomers read the
   * descriptions: if all did at each change, the traffic of a rolling restart would grow with the cube of the processes.
   */
  async compare(alive: number): Promise<void> {
    if (alive === this.alive) return;
    const isFirst = this.alive === 0;
    this.alive = alive;
    this.logger.log(`${alive} ${alive === 1 ? 'process is' : 'processes are'} alive on this Redis`);
    if (!isFirst) return;
    const all = await this.redis.ask((client) => client.hgetall(this.redis.keys.ofNodes('about')));
    const others = Object.entries(all).flatMap(([id, about]) => (id === this.nodeId ? [] : [about]));
    for (const other of this.redis.dropped.readable('description of a process', others, aboutOf)) this.check(other);
  }

  private check(other: About): void {
    const { own, logger } = this;
    if (other.version !== own.version)
      logger.warn(`${other.where} runs version ${other.version}, this process runs ${own.version}`);
    const { keyPrefix } = this.redis.settings;
    if (own.apps !== '' && other.apps !== '' && other.apps !== own.apps)
      logger.warn(`${other.where} has other apps or other secrets than this process, under the keyPrefix ${keyPrefix}`);
  }
}

function aboutOf(description: unknown): About {
  const about = json(description);
  if (!isObject(about)) throw new UnreadableAnswer('a description');
  return { where: text(about['where']), version: text(about['version']), apps: text(about['apps']) };
}
