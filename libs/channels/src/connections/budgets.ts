import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Ledger } from '#common';
import { clientNetwork, unfinishedInput, wideNetwork } from '#http';
import { ChannelsSettings } from '../channels.options.js';
import { ChannelsMetrics } from '../metrics.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { type Cause, type ClientAccount, type Client, clientQuotas } from './client-quotas.js';
import type { Connection } from './connection.js';

/** The limits on rates of connections, by what they limit. */
const rateLimits = {
  subscribes: 'subscribesPerSecond',
  newChannels: 'newChannelsPerMinute',
  refusals: 'refusalsPerSecond',
  heartbeats: 'heartbeatsPerSecond',
} as const;

/** A client that subscribes again and again to a stream of megabytes costs as much as with many subscribes. */
const bytesOfSubscribe = 32_768;

/** Refuses what is above the budget of a connection or of its network, and counts it. */
@Injectable()
export class Budgets implements OnModuleInit, OnApplicationShutdown {
  readonly ledger: Ledger<Client, Cause>;
  private endLimits = (): void => {};

  constructor(
    private readonly settings: ChannelsSettings,
    private readonly metrics: ChannelsMetrics,
  ) {
    this.ledger = new Ledger(clientQuotas(settings.limits));
    metrics.showHeld(() => ({ ...this.ledger.totals, inputBytes: unfinishedInput.bytes }));
  }

  onModuleInit(): void {
    const { processInputBytes: most, messageMs: patienceMs } = this.settings.limits;
    this.endLimits = unfinishedInput.limit({ most, patienceMs });
  }

  onApplicationShutdown(): void {
    this.endLimits();
  }

  /** The account of a client's network; undefined for private addresses, which are not counted. */
  network(address: string): ClientAccount | undefined {
    const network = clientNetwork(address);
    if (network === undefined) return undefined;
    const wide = wideNetwork(network);
    return this.ledger.of('network', network, wide === undefined ? undefined : this.ledger.of('wideNetwork', wide));
  }

  /**
   * Called for each subscribe. An unsubscribe needs no budget: a subscribe came before it.
   * @throws ProtocolError 4301
   */
  subscribe(connection: Connection): void {
    const { limits } = this.settings;
    if (!this.takes(connection, 'subscribes')) throw ProtocolError.subscribeRate(limits.subscribesPerSecond);
    const { network } = connection;
    if (!network?.refusing('subscriptions')) return;
    this.metrics.limitReached('subscriptionsPerAddress');
    throw ProtocolError.tooManySubscriptionsOfAddress(limits.subscriptionsPerAddress);
  }

  /** Called for the texts that a subscribe is answered with: long ones count as further subscribes. */
  answered(connection: Connection, bytes: number): void {
    this.of(connection).add('subscribes', bytes / bytesOfSubscribe);
  }

  /**
   * Called for each subscribe to a channel without subscribers in this process.
   * @throws ProtocolError 4301
   */
  openChannel(connection: Connection): void {
    if (this.takes(connection, 'newChannels')) return;
    throw ProtocolError.newChannelRate(this.settings.limits.newChannelsPerMinute);
  }

  /**
   * Called for each client event.
   * @param userId of its sender, if known
   * @param receivers how many connections of this process get it
   * @throws ProtocolError 4301
   */
  clientEvent({ app, network }: Connection, userId: string | undefined, bytes: number, receivers: number): void {
    const { clientEventBytesPerUser, clientEventFanOutPerAddress } = this.settings.limits;
    const user = userId === undefined ? undefined : this.ledger.of('user', `${app.id} ${userId}`);
    if (user?.take('clientEventBytes', Math.min(bytes, clientEventBytesPerUser)))
      throw this.tooManyBytes('clientEventBytesPerUser');
    if (network?.take('clientEventFanOut', Math.min(bytes * receivers, clientEventFanOutPerAddress)))
      throw this.tooManyBytes('clientEventFanOutPerAddress');
  }

  /** Called for what only keeps a connection alive, such as a ping, beyond what is free. Too much of it ends the connection. */
  heartbeat(connection: Connection): void {
    if (!this.takes(connection, 'heartbeats')) connection.close(ProtocolError.tooManyHeartbeats());
  }

  /** @returns what to answer to a refused message; undefined when the client is closed for repeating it */
  refuse(connection: Connection, refusal: ProtocolError): ProtocolError | undefined {
    if (this.takes(connection, 'refusals')) return refusal;
    if (!this.of(connection).take('warnings')) return ProtocolError.refusalRate(this.settings.limits.refusalsPerSecond);
    connection.close(ProtocolError.tooManyRefusals());
    return undefined;
  }

  private tooManyBytes(limit: 'clientEventBytesPerUser' | 'clientEventFanOutPerAddress'): ProtocolError {
    this.metrics.limitReached(limit);
    return ProtocolError.clientEventBytes(this.settings.limits[limit]);
  }

  private takes(connection: Connection, cause: keyof typeof rateLimits): boolean {
    const account = this.of(connection);
    const refusing = account.take(cause);
    if (refusing) this.metrics.limitReached(refusing === account ? rateLimits[cause] : 'budgetsPerAddress');
    return !refusing;
  }

  private of(connection: Connection): ClientAccount {
    return (connection.account ??= this.ledger.open('connection', connection.network));
  }
}
