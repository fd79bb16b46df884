import { Injectable } from '@nestjs/common';
import { Broker, type BrokerMessage, type BrokerReceiver, type Position, type RememberedEvent } from './broker.js';

interface Kept {
  readonly text: string;
  readonly position: Position;
  readonly expiresAt: number;
}

const sweepEvery = 1024;

/** For one process: what is published arrives at once, and nothing is lost. State is lost on restart. */
@Injectable()
export class InProcessBroker extends Broker {
  private receiver: BrokerReceiver | undefined;
  private readonly remembered = new Map<string, Map<string, Kept>>();
  private sinceSweep = 0;
  // Sixteen digits until the year 2286, and greater after a restart: texts that compare as the numbers do.
  private published = Date.now() * 1000;

  receive(receiver: BrokerReceiver): void {
    this.receiver = receiver;
  }

  publish(message: BrokerMessage, rememberSeconds?: number): Position {
    const position = String(++this.published);
    if (rememberSeconds !== undefined && message.kind === 'event') {
      const { appId, channel, text } = message;
      this.remember(appId, channel, { text, position, expiresAt: Date.now() + rememberSeconds * 1000 });
    }
    // The receiver leaves out channels without subscribers.
    this.receiver?.message(message, position);
    return position;
  }

  recall(appId: string, channel: string): RememberedEvent | undefined {
    const kept = this.remembered.get(appId)?.get(channel);
    if (!kept) return undefined;
    const leftMs = kept.expiresAt - Date.now();
    if (leftMs <= 0) return undefined;
    return { text: kept.text, position: kept.position, ttlSeconds: Math.ceil(leftMs / 1000) };
  }

  subscribe(): void {}

  unsubscribe(): void {}

  private remember(appId: string, channel: string, kept: Kept): void {
    let channels = this.remembered.get(appId);
    if (!channels) this.remembered.set(appId, (channels = new Map()));
    channels.set(channel, kept);
    if (++this.sinceSweep >= sweepEvery) this.forgetExpired();
  }

  // Channels that nobody asks for again would stay for ever.
  private forgetExpired(): void {
    this.sinceSweep = 0;
    const now = Date.now();
    for (const channels of this.remembered.values())
      for (const [channel, { expiresAt }] of channels) if (expiresAt <= now) channels.delete(channel);
  }
}
