import { describe, expect, it } from 'vitest';
import { type BrokerMessage, InProcessBroker } from 'rookery/channels';
import { brokerContract } from './broker.contract.js';
import { brokenPromises, itKeeps } from './contract.js';

describe('InProcessBroker', () => {
  itKeeps(brokerContract, () => ({ port: new InProcessBroker() }));
});

class Twice extends InProcessBroker {
  override publish(message: BrokerMessage): void {
    super.publish(message);
    super.publish(message);
  }
}
class Shuffles extends InProcessBroker {
  private held: BrokerMessage | undefined;
  override publish(message: BrokerMessage): void {
    const { held } = this;
    this.held = held ? undefined : message;
    if (!held) setImmediate(() => this.held === message && super.publish(message));
    else for (const each of [message, held]) super.publish(each);
  }
}
class ForgetsWhoIsExcluded extends InProcessBroker {
  override publish(message: BrokerMessage): void {
    const { appId, channel } = message;
    super.publish(message.kind === 'frame' ? { kind: 'frame', appId, channel, frame: message.frame } : message);
  }
}
class OneAppForAll extends InProcessBroker {
  override publish(message: BrokerMessage): void {
    super.publish({ ...message, appId: 'one' });
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
  override publish(message: BrokerMessage): void {
    if (this.channels.has(`${message.appId}/${message.channel}`)) super.publish(message);
  }
}
class OnlyFrames extends InProcessBroker {
  override publish(message: BrokerMessage): void {
    if (message.kind === 'frame') super.publish(message);
  }
}

describe('the contract of Broker rejects an implementation that', () => {
  it.each([
    [Twice, 'carries a message to the publishing process, once, as it was'],
    [ForgetsWhoIsExcluded, 'carries a message to the publishing process, once, as it was'],
    [OnlyFrames, 'carries the order to end a user’s connections'],
    [Shuffles, 'keeps the order of one publisher on a channel'],
    [OneAppForAll, 'tells whose channel it is, though two apps have one of the same name'],
    [Twice, 'may be told twice to subscribe or unsubscribe, and carries a message once all the same'],
    [LeavesLate, 'is subscribed after an unsubscribe and a subscribe, though nobody waited in between'],
  ])('%o: %s', async (Broken, promise) => {
    expect(await brokenPromises(brokerContract, () => ({ port: new Broken() }))).toContain(promise);
  });
});
