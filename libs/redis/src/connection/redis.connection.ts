import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Cluster, type Redis } from 'ioredis';
import { isAway, Unavailable } from '#common';
import { allPartitions, Keys } from '../keys.js';
import type { RedisSettings } from '../redis.options.js';
import { Clients, isReadOnly, revive } from './clients.js';
import { type Address, shownUrl } from '../redis-url.js';
import { DroppedRecords } from './dropped-records.js';
import { firstConnection } from './first-connection.js';
import { Script } from './script.js';
import { checkServer, fieldsOf, identityOf } from './server-checks.js';

/** Stops the start: Redis cannot be reached, or its configuration would lose data. */
export class RedisNotUsable extends Error {
  readonly reason: string;

  constructor(url: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
    super(`RedisModule: url ${shownUrl(url)}: ${reason}`, { cause });
    this.reason = reason;
  }
}

const longestPauseMs = 1000;

/** Runs commands in Redis, over one connection, or one per cluster node. */
export class RedisConnection {
  readonly keys: Keys;
  private readonly logger = new Logger('Redis');
  readonly dropped = new DroppedRecords(this.logger);
  private readonly clients: Clients;
  private readonly client: Redis | Cluster;
  /** The slots of the partitions, in a cluster. */
  private slots: readonly number[] | undefined;
  /** How often Redis has been away. */
  outages = 0;
  private awaySince: number | undefined;
  /**
   * A key of the node that refuses writes: its memory or disk is full, replicas are missing, or it is a replica. Reads and
   * removals still succeed, so they prove nothing.
   */
  private refusing: string | undefined;
  private isClosed = false;
  private isStarting = true;
  private latestError: Error | undefined;
  /** Why the database could not be selected, until it is. */
  private refusal: Error | undefined;
  /** Whether Redis may have lost the processes' entries, and no process has checked yet. */
  private isLedgerUnknown = false;
  private ledgerCompleteAt = 0;
  /** How often the connection broke: earlier answers may be outdated. */
  breaks = 0;
  /** How often Redis reported being a replica: older connections may still end there. */
  demotions = 0;
  /** The `run_id` of the Redis that commands go to; undefined in a cluster, and while unknown. */
  serverId: string | undefined;
  /** Whether the connection was told to end and has not ended yet. */
  private isEnding = false;
  private probing: Promise<unknown> | undefined;
  private connected: (() => void) | undefined;
  private readonly reconnected: (() => Promise<void>)[] = [];
  private takenForDead: (() => void) | undefined;

  private constructor(readonly settings: RedisSettings) {
    this.clients = new Clients(settings);
    this.keys = new Keys(settings.keyPrefix, this.clients.place.db);
    this.client = this.clients.forCommands();
    // Each caller gets its own error, and an outage is logged once, below.
    this.client.on('error', (error: Error) => this.failed(error));
    this.client.on('close', () => {
      this.isAway(this.latestError);
      this.isEnding = false;
      this.serverId = undefined;
      this.breaks++;
      this.isLedgerUnknown = this.reconnected.length > 0;
    });
    this.client.on('ready', () => {
      this.latestError = undefined;
      this.refusal = undefined;
      void this.began();
    });
    revive(this.client, () => this.isClosed);
  }

  /**
   * Waits for a cluster that is down, for sentinels that elect a master, and for a Redis that loads its data.
   * @throws RedisNotUsable when Redis cannot be reached, or its configuration would lose data; also instead of waiting, if
   *   not `isPatient`
   */
  static async open(settings: RedisSettings, { isPatient = true } = {}): Promise<RedisConnection> {
    let connection: RedisConnection | undefined;
    try {
      connection = new RedisConnection(settings);
      await connection.start(isPatient);
      return connection;
    } catch (error) {
      connection?.close();
      throw new RedisNotUsable(settings.url, connection?.refusal ?? error);
    }
  }

  /** Adds a callback for reconnections: Redis may have lost this process's entries. */
  onReconnect(reconnected: () => Promise<void>): void {
    this.reconnected.push(reconnected);
  }

  /** Registers the callback for when the server that takes commands is known. */
  onConnect(connected: () => void): void {
    this.connected = connected;
  }

  /** Registers the callback for refusals: other processes considered this one dead. */
  onTakenForDead(takenForDead: () => void): void {
    this.takenForDead = takenForDead;
  }

  /**
   * Reports that Redis has this process's entries again.
   * @param completeAt when it will have those of all processes, by performance.now()
   * @param breaks the count of breaks when this was determined
   */
  ledgerIsBack(completeAt: number, breaks: number): void {
    if (breaks === this.breaks) this.isLedgerUnknown = false;
    this.ledgerCompleteAt = completeAt;
  }

  /** Seconds since Redis became unreachable; 0 while it answers. */
  get awaySeconds(): number {
    return this.awaySince === undefined ? 0 : (performance.now() - this.awaySince) / 1000;
  }

  /**
   * Runs a script, or fails at once.
   * @throws Unavailable when Redis is away: the script may or may not have run
   */
  async run(script: Script, keys: readonly string[], args: readonly (string | number)[] = []): Promise<unknown> {
    return this.ask((client) => this.evaluate(client, script, [keys.length, ...keys, ...args]), keys[0]);
  }

  /**
   * Runs a script that may be run twice, repeatedly while Redis is away. A script on shared state waits until all
   * processes have announced theirs.
   * @throws Unavailable when it was away for longer than the settings allow
   */
  async insist(
    script: Script,
    keys: readonly string[],
    args: readonly (string | number)[] = [],
    { evenIncomplete = false } = {},
  ): Promise<unknown> {
    const until = performance.now() + this.settings.outageSeconds * 1000;
    for (let pauseMs = 50; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        if (!evenIncomplete && (this.isLedgerUnknown || performance.now() < this.ledgerCompleteAt))
          throw new Unavailable('Redis', new Error('It has lost its memory'));
        return await this.run(script, keys, args);
      } catch (error) {
        if (!(error instanceof Unavailable) || this.isClosed || performance.now() + pauseMs > until) throw error;
        await delay(pauseMs, undefined, { ref: false });
      }
    }
  }

  /**
   * @param key of what the command may write
   * @throws Unavailable when Redis is away
   */
  async ask<Answer>(command: (client: Redis | Cluster) => Promise<Answer>, key = ''): Promise<Answer> {
    try {
      if (!(this.client instanceof Cluster)) writeTogether(this.client);
      const answer = await command(this.client);
      if (this.refusing === undefined) this.isBack();
      return answer;
    } catch (error) {
      if (!isAway(error)) throw error;
      if (isReadOnly(error.message)) this.demotions++;
      if (isSilence(error)) this.reconnect();
      if (refusesWrites(error)) this.refusing = key;
      if (isGone(error)) this.takenForDead?.();
      else if (!isOfMove(error)) this.isAway(error);
      throw new Unavailable('Redis', error);
    }
  }

  /** Called when a lease was renewed, which is a write. In a cluster, another node may refuse them. */
  async tookWrite(): Promise<void> {
    const { refusing } = this;
    if (refusing && this.client instanceof Cluster) await this.run(probeWrite, [refusing]);
    if (this.refusing === refusing) this.refusing = undefined;
    this.isBack();
  }

  /** Closes an unresponsive connection, so that a new one is made: its Redis may no longer be the master. */
  reconnect(): void {
    const { client } = this;
    if (client instanceof Cluster) this.probing ??= probe(client).finally(() => (this.probing = undefined));
    else if (client.status === 'ready' && !this.isEnding) {
      this.isEnding = true;
      client.disconnect(true);
    }
  }

  /** A connection for subscriptions; `node` is from {@link nodesOfPartitions}. */
  subscriber(node?: Address): Redis {
    return this.clients.forSubscriptions(node);
  }

  /** The cluster node of each partition; undefined without a cluster. */
  async nodesOfPartitions(): Promise<ReadonlyMap<number, Address> | undefined> {
    const { client } = this;
    if (!(client instanceof Cluster)) return undefined;
    this.slots ??= await Promise.all(
      allPartitions.map((partition) => this.ask(() => client.cluster('KEYSLOT', this.keys.in(partition)))),
    );
    const ranges = await this.ask(() => client.cluster('SLOTS'));
    const nodes = new Map<number, Address>();
    for (const [partition, slot] of this.slots.entries()) {
      const [, , master] = ranges.find(([first, last]) => slot >= first && slot <= last) ?? [];
      if (master) nodes.set(partition, { host: master[0], port: master[1] });
    }
    return nodes;
  }

  /** How many bytes Redis uses and may use, on all masters of a cluster; 0 if that is unlimited. @throws Unavailable */
  async memory(): Promise<{ readonly used: number; readonly most: number }> {
    const { client } = this;
    const nodes = client instanceof Cluster ? client.nodes('master') : [client];
    const infos = await this.ask(() => Promise.all(nodes.map((node) => node.info('memory'))));
    const figures = (field: string) => infos.map((info) => Number(fieldsOf(info).get(field) ?? 0));
    // The fullest of them refuses first.
    return {
      used: nodes.length * Math.max(...figures('used_memory')),
      most: nodes.length * Math.min(...figures('maxmemory')),
    };
  }

  close(): void {
    this.isClosed = true;
    this.client.disconnect();
  }

  private async start(isPatient: boolean): Promise<void> {
    const { client, clients, keys } = this;
    await firstConnection(client, clients, {
      isPatient,
      refusal: () => this.refusal,
      check: () => checkServer(client, keys, clients.username),
    });
    this.isStarting = false;
  }

  private failed(error: Error): void {
    if (isOfSelect(error)) this.refuseDatabase(error);
    else this.latestError = error;
  }

  /** Otherwise ioredis would go on in database 0. */
  private refuseDatabase({ message }: Error): void {
    const isNew = this.refusal === undefined;
    this.refusal = new Error(`database ${this.clients.place.db} cannot be selected: ${message}`);
    if (isNew && this.reconnected.length > 0) this.logger.error(this.refusal.message);
    this.client.disconnect(true);
  }

  private async began(): Promise<void> {
    if (!(this.client instanceof Cluster)) {
      const server = await identityOf(this.client).catch(() => undefined);
      // It has broken again.
      if (!server) return this.reconnect();
      this.serverId = server.runId;
      this.connected?.();
    }
    await Promise.all(this.reconnected.map((each) => each()));
  }

  /** Passes an array, since an announcement may exceed JavaScript's limit on arguments. */
  private async evaluate(client: Redis | Cluster, { sha, lua }: Script, args: readonly (string | number)[]) {
    try {
      return await client.call('evalsha', [sha, ...args]);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return client.call('eval', [lua, ...args]);
    }
  }

  private isAway(cause?: unknown): void {
    if (this.awaySince !== undefined || this.isClosed || this.isStarting) return;
    this.awaySince = performance.now();
    this.outages++;
    const reason = cause instanceof Error ? ` (${cause.message})` : '';
    this.logger.warn(`Redis is away${reason}: clients stay connected; work that needs Redis waits or is refused`);
  }

  private isBack(): void {
    if (this.awaySince === undefined) return;
    this.logger.log(`Redis is back after ${this.awaySeconds.toFixed(1)} s`);
    this.awaySince = undefined;
  }
}

/** Whether a command got no answer at all, judged by ioredis's messages. */
const isSilence = (error: unknown): boolean => error instanceof Error && error.message === 'Command timed out';

const refusesWrites = ({ message }: Error): boolean => /^(OOM|MISCONF|NOREPLICAS|READONLY)\b/.test(message);

/** Whether Redis did not run a command because its slot moves to another node, which ends soon: it is not away. */
const isOfMove = ({ message }: Error): boolean =>
  /^(Too many Cluster redirections.*)?\b(TRYAGAIN|ASK|MOVED) /.test(message);

/** A write to the node of a key. */
const probeWrite = new Script("return redis.call('SET', KEYS[1] .. 'probe', '', 'EX', 1)");

/** Closes the connections to those nodes of a cluster that do not answer. */
const probe = (cluster: Cluster): Promise<unknown> =>
  Promise.all(cluster.nodes().map((node) => node.ping().catch(() => node.disconnect(true))));

/** Whether it is Redis's answer to the selection of a database, which ioredis sends first on each connection. */
const isOfSelect = (error: Error & { readonly command?: { readonly name: string } }): boolean =>
  error.command?.name === 'select';

const isGone = (error: unknown): boolean => error instanceof Error && error.message.startsWith('GONE');

/**
 * Sends the commands of a turn of the event loop in one write. The auto-pipelining of ioredis does that, too, but makes a
 * pipeline and three promises more for each turn, and holds the next turn's back until these are answered.
 */
function writeTogether({ stream }: Redis): void {
  if (!stream || stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}
