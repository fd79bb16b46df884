import { describe, expect, it } from 'vitest';
import {
  type BrokerMessage,
  type BrokerReceiver,
  type HistoryPage,
  InProcessBroker,
  type Position,
} from 'rookery/channels';
import { describeBroker } from '@rookery/testing';
import { brokenPromises } from './broken-promises.js';

describe('InProcessBroker', () => {
  describeBroker(() => new InProcessBroker());
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
class SendsToTheExcluded extends InProcessBroker {
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
class UnsubscribesLate extends InProcessBroker {
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

class KeepsEverything extends InProcessBroker {
  override publish(message: BrokerMessage): Position {
    const history = { events: 5, seconds: 60, bytes: 10_000 };
    return super.publish(message.kind === 'event' ? { ...message, history } : message);
  }
}
class KeepsForAllApps extends InProcessBroker {
  override history(_appId: string, ...asked: [channel: string, limit: number, after?: Position]): HistoryPage {
    return super.history('app', ...asked);
  }
}
class KeepsLate extends InProcessBroker {
  override publish(message: BrokerMessage): Position {
    if (message.kind !== 'event' || !message.history) return super.publish(message);
    setImmediate(() => super.publish(message));
    const { history: _, ...now } = message;
    return super.publish(now);
  }
}
class Overtakes extends InProcessBroker {
  private written = Promise.resolve();
  override publish(message: BrokerMessage): Position {
    if (message.kind !== 'event' || !message.history) return super.publish(message);
    this.written = this.written.then(() => void super.publish(message));
    return '';
  }
}
class IncludesThePosition extends InProcessBroker {
  override history(appId: string, channel: string, limit: number, after?: Position): HistoryPage {
    const all = super.history(appId, channel, 100);
    const events = all.events.filter(({ position }) => after === undefined || position >= after).slice(0, limit);
    return { ...all, events };
  }
}
class KeepsTheFirstChannelsText extends InProcessBroker {
  private first: string | undefined;
  override publish(message: BrokerMessage, rememberSeconds?: number): Position {
    if (message.kind !== 'event' || message.text.length < 512) return super.publish(message, rememberSeconds);
    this.first ??= message.text;
    return super.publish({ ...message, text: this.first }, rememberSeconds);
  }
}
class ReportsNoGaps extends InProcessBroker {
  override history(...asked: Parameters<InProcessBroker['history']>): HistoryPage {
    return { ...super.history(...asked), isComplete: true };
  }
}
class ReportsGapsEverywhere extends InProcessBroker {
  override history(...asked: Parameters<InProcessBroker['history']>): HistoryPage {
    return { ...super.history(...asked), isComplete: false };
  }
}
class IgnoresMaxAge extends InProcessBroker {
  override publish(message: BrokerMessage): Position {
    if (message.kind !== 'event' || !message.history) return super.publish(message);
    return super.publish({ ...message, history: { ...message.history, seconds: 60 } });
  }
}
class CountsNoBytes extends InProcessBroker {
  override publish(message: BrokerMessage): Position {
    if (message.kind !== 'event' || !message.history) return super.publish(message);
    return super.publish({ ...message, history: { ...message.history, bytes: 10_000 } });
  }
}
class NeverAdvances extends InProcessBroker {
  private readonly first = super.history('', '', 0).now;
  override history(...asked: Parameters<InProcessBroker['history']>): HistoryPage {
    return { ...super.history(...asked), now: this.first };
  }
}

describe('the contract of Broker rejects an implementation that', () => {
  it.concurrent.each([
    [Twice, 'delivers a message unchanged to the publishing process, once'],
    [SendsToTheExcluded, 'delivers a message unchanged to the publishing process, once'],
    [OnlyEvents, 'delivers orders to end a user’s connections'],
    [Shuffles, 'keeps the order of one publisher on a channel, even without waiting in between'],
    [CountsFromNine, 'answers the position with which the message arrives, greater than the one before'],
    [OneAppForAll, 'distinguishes channels of the same name in two apps'],
    [Twice, 'accepts repeated subscribe and unsubscribe, and delivers a message once'],
    [UnsubscribesLate, 'is subscribed after an unsubscribe and a subscribe, even without waiting in between'],
    [RemembersTheFirst, 'remembers a channel’s last event if requested, with its position and its remaining seconds'],
    [RemembersEverything, 'remembers a channel’s last event if requested, with its position and its remaining seconds'],
    [RemembersLate, 'remembers an event in the step that publishes it: a subscriber that receives it finds it'],
    [RemembersEverything, 'forgets an event when it expires'],
    [KeepsEverything, 'keeps events for a history in order, with their positions and excluded connections'],
    [KeepsForAllApps, 'keeps events for a history in order, with their positions and excluded connections'],
    [KeepsTheFirstChannelsText, 'keeps an event of many channels so that it reads on each of them as if alone'],
    [IncludesThePosition, 'answers the events after a position, page by page'],
    [ReportsGapsEverywhere, 'answers the events after a position, page by page'],
    [NeverAdvances, 'has a current position even before the first event: later events are after it'],
    [ReportsNoGaps, 'drops the oldest events beyond the bounds, and says so to readers that lack the last of them'],
    [CountsNoBytes, 'drops the oldest events beyond the bounds, and says so to readers that lack the last of them'],
    [IgnoresMaxAge, 'drops expired events, and still knows that there were some'],
    [ReportsNoGaps, 'drops expired events, and still knows that there were some'],
    [ReportsNoGaps, 'answers no complete page for an unknown position'],
    [Overtakes, 'keeps the order of kept events and other messages of a channel, even without waiting in between'],
    [KeepsLate, 'has an event in its history by the time it is delivered'],
  ])('%o: %s', async (Broken, promise) => {
    expect(await brokenPromises(describeBroker, () => new Broken(), promise)).toEqual([promise]);
  });
});
