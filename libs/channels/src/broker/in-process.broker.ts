import { Injectable } from '@nestjs/common';
import { Broker, type BrokerMessage } from './broker.js';

/** For one process: what is published arrives at once. The receiver ignores channels without subscribers. */
@Injectable()
export class InProcessBroker extends Broker {
  private receiver: (message: BrokerMessage) => void = () => {};

  receive(receiver: (message: BrokerMessage) => void): void {
    this.receiver = receiver;
  }

  publish(message: BrokerMessage): void {
    this.receiver(message);
  }

  subscribe(): void {}

  unsubscribe(): void {}
}
