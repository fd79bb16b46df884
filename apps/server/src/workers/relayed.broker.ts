import {
  Broker,
  type BrokerMessage,
  type BrokerReceiver,
  type HistoryPage,
  type Position,
  type RememberedEvent,
} from 'rookery/channels';
import type { Far, Link } from './link.js';
import type { BrokerCalls } from './relay.js';

/** By the process that started this one and its other workers. Nothing is lost on the way, unless a process is. */
export class RelayedBroker extends Broker {
  private readonly far: Far<BrokerCalls>;

  constructor(private readonly link: Link) {
    super();
    this.far = link.far('broker');
  }

  receive(receiver: BrokerReceiver): void {
    this.link.serve('receiver', receiver);
  }

  publish(message: BrokerMessage, rememberSeconds?: number): Promise<Position> {
    return rememberSeconds === undefined ? this.far.publish(message) : this.far.publish(message, rememberSeconds);
  }

  recall(appId: string, channel: string): Promise<RememberedEvent | undefined> {
    return this.far.recall(appId, channel);
  }

  history(appId: string, channel: string, limit: number, after?: Position): Promise<HistoryPage> {
    return after === undefined
      ? this.far.history(appId, channel, limit)
      : this.far.history(appId, channel, limit, after);
  }

  subscribe(appId: string, channel: string): Promise<void> {
    return this.far.subscribe(appId, channel);
  }

  // There is no need to wait: later messages find no subscriber here.
  unsubscribe(appId: string, channel: string): void {
    this.link.tell('broker', 'unsubscribe', appId, channel);
  }
}
