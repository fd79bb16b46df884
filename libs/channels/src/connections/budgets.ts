import { Injectable } from '@nestjs/common';
import { ChannelsSettings } from '../channels.options.js';
import { ChannelsMetrics } from '../metrics.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { Budget, type BudgetRates, budgetRates } from './budget.js';
import type { Connection } from './connection.js';

/** Refuses what is above the budget of a connection, and counts it. */
@Injectable()
export class Budgets {
  private readonly rates: BudgetRates;

  constructor(
    private readonly settings: ChannelsSettings,
    private readonly metrics: ChannelsMetrics,
  ) {
    this.rates = budgetRates(settings.limits);
  }

  /**
   * Called for each subscribe. An unsubscribe needs no budget: a subscribe came before it.
   * @throws ProtocolError 4301
   */
  subscribe(connection: Connection): void {
    if (this.of(connection).take('subscribes')) return;
    this.metrics.limitReached('subscribesPerSecond');
    throw ProtocolError.subscribeRate(this.settings.limits.subscribesPerSecond);
  }

  /**
   * Called for each subscribe to a channel without subscribers in this process.
   * @throws ProtocolError 4301
   */
  openChannel(connection: Connection): void {
    if (this.of(connection).take('newChannels')) return;
    this.metrics.limitReached('newChannelsPerMinute');
    throw ProtocolError.newChannelRate(this.settings.limits.newChannelsPerMinute);
  }

  /** @returns what to answer to a refused message; undefined when the client is closed because it goes on */
  refuse(connection: Connection, refusal: ProtocolError): ProtocolError | undefined {
    const outcome = this.of(connection).takeRefusal();
    if (outcome === 'within') return refusal;
    this.metrics.limitReached('refusalsPerSecond');
    if (outcome === 'warned') return ProtocolError.refusalRate(this.settings.limits.refusalsPerSecond);
    connection.close(ProtocolError.tooManyRefusals());
    return undefined;
  }

  private of(connection: Connection): Budget {
    return (connection.budget ??= new Budget(this.rates));
  }
}
