import type { BrokerMessage, BrokerReceiver, Position, Topic } from 'rookery/channels';

/** The channels that a node listens to: after its connection broke, it may have missed messages of them. */
export class Topics implements BrokerReceiver {
  private readonly wanted = new Map<string, Topic>();
  private readonly confirmed = new Set<string>();
  private readonly missed = new Set<string>();
  private receiver: BrokerReceiver | undefined;
  /** While the connection for messages is closed, none arrives. */
  isClosed = false;

  /** Sets the node's own receiver. */
  passTo(receiver: BrokerReceiver): void {
    this.receiver = receiver;
  }

  get all(): readonly Topic[] {
    return [...this.wanted.values()];
  }

  want(topic: Topic): void {
    this.wanted.set(keyOf(topic), topic);
  }

  drop(topic: Topic): void {
    const key = keyOf(topic);
    this.wanted.delete(key);
    this.confirmed.delete(key);
    this.missed.delete(key);
  }

  /** The store sends its messages from now on. */
  confirm(topic: Topic): void {
    const key = keyOf(topic);
    if (!this.wanted.has(key)) return;
    this.confirmed.add(key);
    if (this.missed.delete(key)) this.lost([topic]);
  }

  broke(): void {
    for (const key of this.confirmed) this.missed.add(key);
    this.confirmed.clear();
  }

  message(message: BrokerMessage, position: Position): void {
    if (this.isClosed) return;
    // It arrived before the answer that the channel is subscribed again.
    this.confirm(message);
    this.receiver?.message(message, position);
  }

  lost(topics: readonly Topic[]): void {
    this.receiver?.lost(topics);
  }
}

const keyOf = ({ appId, channel }: Topic): string => JSON.stringify([appId, channel]);
