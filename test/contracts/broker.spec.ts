import { describe, expect, it } from 'vitest';
import { type BrokerMessage, type BrokerReceiver, InProcessBroker, type Position } from 'rookery/channels';
import { brokerContract } from './broker.contract.js';
import { brokenPromises, itKeeps } from './contract.js';

describe('InProcessBroker', () => {
  itKeeps(brokerContract, () => ({ port: new InProcessBroker() }));
});

class Twice extends InProcessBroker {
  override publish(message: BrokerMessage, rememberSeconds?: number): Position {
    super.publish(message, rememberSeconds);
    return super.publish(message, rememberSeconds);
  }
}
class Shuffles extends InProcessBroker {
  private late: BrokerMessage | undefined;
  override publish(message: BrokerMessage): Position {
    const { late } = this;
    this.late = late ? undefined : message;
    if (!late) setImmediate(() => this.late === message && super.publish(message));
    else for (const each of [message, late]) super.publish(each);
    return '';
  }
}
class ForgetsWhoIsExcluded extends InProcessBroker {
  override publish(message: BrokerMessage): Position {
    const { appId, channel } = message;
    return super.publish(message.kind === 'event' ? { kind: 'event', appId, channel, text: message.text } : message);
  }
}
class OneAppForAll extends InProcessBroker {
  override publish(message: BrokerMessage): Position {
    return super.publish({ ...message, appId: 'one' });
  }
}
class LeavesLate extends InProcessBroker {
  private readonly channels = new Set<string>();
  override subscribe(appId = '', channel = ''): void {
    this.channels.add(`${appId}/${channel}`);
  }
  override unsubscribe(appId = '', channel = ''): void {
    setImmediate(() => this.channels.delete(`${appId}/${channel}`));
  }
  override publish(message: BrokerMessage): Position {
    return this.channels.has(`${message.appId}/${message.channel}`) ? super.publish(message) : '';
  }
}
class OnlyEvents extends InProcessBroker {
  override publish(message: BrokerMessage): Position {
    return message.kind === 'event' ? super.publish(message) : '';
  }
}
class CountsFromNine extends InProcessBroker {
  private count = 9;
  override receive(receiver: BrokerReceiver): void {
    super.receive({ ...receiver, message: (message) => receiver.message(message, String(this.count)) });
  }
  override publish(message: BrokerMessage): Position {
    this.count += 1;
    super.publish(message);
    return String(this.count);
  }
}
class RemembersTheFirst extends InProcessBroker {
  override publish(message: BrokerMessage, rememberSeconds?: number): Position {
    const isKept = this.recall(message.appId, message.channel) !== undefined;
    return super.publish(message, isKept ? undefined : rememberSeconds);
  }
}
class RemembersEverything extends InProcessBroker {
  override publish(message: BrokerMessage): Position {
    return super.publish(message, 60);
  }
}
class RemembersLate extends InProcessBroker {
  override publish(message: BrokerMessage, rememberSeconds?: number): Position {
    if (rememberSeconds !== undefined) setImmediate(() => super.publish(message, rememberSeconds));
    return super.publish(message);
  }
}

describe('the contract of Broker rejects an implementation that', () => {
  it.each([
    [Twice, 'carries a message to the publishing process, once, as it was'],
    [ForgetsWhoIsExcluded, 'carries a message to the publishing process, once, as it was'],
    [OnlyEvents, 'carries the orders to end a user’s connections'],
    [Shuffles, 'keeps the order of one publisher on a channel, though nobody waited in between'],
    [CountsFromNine, 'answers the position with which the message arrives, greater than that of the message before'],
    [OneAppForAll, 'tells whose channel it is, though two apps have one of the same name'],
    [Twice, 'may be told twice to subscribe or unsubscribe, and carries a message once all the same'],
    [LeavesLate, 'is subscribed after an unsubscribe and a subscribe, though nobody waited in between'],
    [
      RemembersTheFirst,
      'remembers the last event of a channel that it was told to, with its position and the seconds it has left',
    ],
    [
      RemembersEverything,
      'remembers the last event of a channel that it was told to, with its position and the seconds it has left',
    ],
    [RemembersLate, 'remembers an event in the step that publishes it: who hears of it finds it'],
    [RemembersEverything, 'forgets an event when its time is over'],
  ])('%o: %s', async (Broken, promise) => {
    expect(await brokenPromises(brokerContract, () => ({ port: new Broken() }))).toContain(promise);
  });
});
