import {
  Broker,
  type BrokerMessage,
  type BrokerReceiver,
  InProcessBroker,
  type Position,
  type Topic,
} from 'rookery/channels';

/** What several brokers share: as if each were in a process of its own. */
export class Link {
  readonly brokers = new Set<LinkedBroker>();
  readonly memory = new InProcessBroker();
}

/** Carries messages to all brokers of its link that have subscribed, this one included. */
export class LinkedBroker extends Broker {
  private receiver: BrokerReceiver | undefined;
  private readonly topics = new Set<string>();

  constructor(private readonly link: Link) {
    super();
    link.brokers.add(this);
  }

  receive(receiver: BrokerReceiver): void {
    this.receiver = receiver;
  }

  publish(message: BrokerMessage, rememberSeconds?: number): Position {
    const position = this.link.memory.publish(message, rememberSeconds);
    for (const broker of this.link.brokers) broker.arrive(message, position);
    return position;
  }

  recall(appId: string, channel: string): ReturnType<Broker['recall']> {
    return this.link.memory.recall(appId, channel);
  }

  history(...asked: Parameters<Broker['history']>): ReturnType<Broker['history']> {
    return this.link.memory.history(...asked);
  }

  subscribe(appId: string, channel: string): void {
    this.topics.add(`${appId}/${channel}`);
  }

  unsubscribe(appId: string, channel: string): void {
    this.topics.delete(`${appId}/${channel}`);
  }

  /** As when a connection broke over which messages came. */
  lose(...topics: readonly Topic[]): void {
    this.receiver?.lost(topics);
  }

  /** As when the process is killed: nothing reaches it any more. */
  die(): void {
    this.link.brokers.delete(this);
  }

  private arrive(message: BrokerMessage, position: Position): void {
    if (this.topics.has(`${message.appId}/${message.channel}`)) this.receiver?.message(message, position);
  }
}
