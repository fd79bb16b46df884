import { Injectable } from '@nestjs/common';
import { type Account, Ledger, type Quota } from '#common';
import { wideNetwork, wideTimes } from '#http';
import { ChannelsSettings } from '../../channels.options.js';
import type { Connection } from '../../connections/connection.js';
import { Slot } from '../../connections/slot.js';
import { ChannelsMetrics } from '../../metrics.js';

/** Users have their own causes: their accounts stand beside those of networks, below the same process. */
type Cause = 'requests' | 'requestsUnderWay' | 'ofUser' | 'ofUserUnderWay';
type Holder = 'connection' | 'network' | 'wideNetwork' | 'user' | 'app';

/** So that an app whose methods hang leaves room for others. */
const timesOfApp = 2;
/** A user may have several pages. */
const timesOfUser = 5;
/** A long reply counts as further requests. */
const bytesOfRequest = 32_768;

/** What clients may ask: in a second, and at the same time. */
@Injectable()
export class RequestBudgets {
  private readonly ledger: Ledger<Holder, Cause>;
  private readonly accounts = new Slot<Account<Cause>>();

  constructor({ requests, limits }: ChannelsSettings, metrics: ChannelsMetrics) {
    const rate = (times: number): Quota => ({
      most: 2 * times * requests.perSecond,
      perSecond: times * requests.perSecond,
    });
    const held = (times: number): Quota => ({ most: times * requests.underWay });
    const of = (times: number) => ({ requests: rate(times), requestsUnderWay: held(times) });
    this.ledger = new Ledger<Holder, Cause>({
      connection: of(1),
      network: of(limits.budgetsPerAddress),
      wideNetwork: of(limits.budgetsPerAddress * wideTimes),
      user: { ofUser: rate(timesOfUser), ofUserUnderWay: held(timesOfUser) },
      app: { requestsUnderWay: { most: requests.concurrency } },
      process: { requestsUnderWay: { most: timesOfApp * requests.concurrency } },
    });
    metrics.showHeld(() => this.ledger.totals);
  }

  /**
   * Called for each request.
   * @returns gives back what is held until the reply was sent and its method has ended; undefined if the request is above a budget
   */
  begin(connection: Connection, userId: string | undefined): (() => void) | undefined {
    const account = this.accountOf(connection);
    const user = userId === undefined ? undefined : this.ledger.of('user', `${connection.app.id} ${userId}`);
    const isAbove =
      account.refusing('requests') ??
      account.refusing('requestsUnderWay') ??
      user?.refusing('ofUser') ??
      user?.refusing('ofUserUnderWay');
    if (isAbove) return undefined;
    const change = (amount: 1 | -1): void => {
      account.add('requestsUnderWay', amount);
      user?.add('ofUserUnderWay', amount);
    };
    account.add('requests', 1);
    user?.add('ofUser', 1);
    change(1);
    return () => change(-1);
  }

  /** Called for each reply. */
  replied(connection: Connection, bytes: number): void {
    this.accountOf(connection).add('requests', bytes / bytesOfRequest);
  }

  private accountOf(connection: Connection): Account<Cause> {
    return this.accounts.of(connection) ?? this.accounts.set(connection, this.opened(connection));
  }

  private opened({ app: { id }, network }: Connection): Account<Cause> {
    const app = this.ledger.of('app', id);
    if (!network) return this.ledger.open('connection', app);
    const wide = wideNetwork(network.name);
    const above = wide === undefined ? app : this.ledger.of('wideNetwork', `${id} ${wide}`, app);
    return this.ledger.open('connection', this.ledger.of('network', `${id} ${network.name}`, above));
  }
}
