import {
  Broker,
  type BrokerMessage,
  type BrokerReceiver,
  type HistoryPage,
  type Position,
  type RememberedEvent,
} from 'rookery/channels';
import { copyOf } from './copy-of.js';
import type { StoreLink } from './store-link.js';

/** The broker that all processes share: it carries a message to the processes that have subscribed to its channel. */
export class SharedBroker {
  private readonly topics = new Map<string, Set<SimulatedBroker>>();

  constructor(readonly broker: Broker) {
    broker.receive({ message: (message, position) => this.carry(message, position), lost: () => {} });
  }

  subscribe(process: SimulatedBroker, topic: string): void {
    this.topics.set(topic, (this.topics.get(topic) ?? new Set()).add(process));
  }

  unsubscribe(process: SimulatedBroker, topic: string): void {
    this.topics.get(topic)?.delete(process);
  }

  /** The process is gone. */
  forget(process: SimulatedBroker): void {
    for (const subscribed of this.topics.values()) subscribed.delete(process);
  }

  private carry(message: BrokerMessage, position: Position): void {
    for (const process of this.topics.get(topicOf(message.appId, message.channel)) ?? [])
      process.carry(copyOf(message), position);
  }
}

/** The shared broker, as one process sees it. */
export class SimulatedBroker extends Broker {
  private receiver: BrokerReceiver | undefined;

  constructor(
    private readonly shared: SharedBroker,
    private readonly link: StoreLink,
  ) {
    super();
  }

  receive(receiver: BrokerReceiver): void {
    this.receiver = receiver;
  }

  publish(message: BrokerMessage, rememberSeconds?: number): Promise<Position> {
    const sent = copyOf(message);
    return this.link.call(() => this.shared.broker.publish(sent, rememberSeconds));
  }

  recall(appId: string, channel: string): Promise<RememberedEvent | undefined> {
    return this.link.call(() => this.shared.broker.recall(appId, channel));
  }

  history(appId: string, channel: string, limit: number, after?: Position): Promise<HistoryPage> {
    return this.link.call(() => this.shared.broker.history(appId, channel, limit, after));
  }

  subscribe(appId: string, channel: string): Promise<void> {
    return this.link.call(() => this.shared.subscribe(this, topicOf(appId, channel)));
  }

  // There is no need to wait: later messages find no subscriber here.
  unsubscribe(appId: string, channel: string): void {
    this.link.send(() => this.shared.unsubscribe(this, topicOf(appId, channel)));
  }

  carry(message: BrokerMessage, position: Position): void {
    this.link.notify(() => this.receiver?.message(message, position));
  }
}

/** Unambiguous: no two pairs share a key. */
const topicOf = (appId: string, channel: string): string => JSON.stringify([appId, channel]);
