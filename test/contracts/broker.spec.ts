import { describe, expect, it } from 'vitest';
import {
  type BrokerMessage,
  type BrokerReceiver,
  type HistoryPage,
  InProcessBroker,
  type Position,
} from 'rookery/channels';
import { describeBroker } from 'rookery/testing';
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
class IncludesThePosition extends InProcessBroker {
  override history(appId: string, channel: string, limit: number, after?: Position): HistoryPage {
    const all = super.history(appId, channel, 100);
    const events = all.events.filter(({ position }) => after === undefined || position >= after).slice(0, limit);
    return { ...all, events };
  }
}
class KnowsNothingOfGaps extends InProcessBroker {
  override history(...asked: Parameters<InProcessBroker['history']>): HistoryPage {
    return { ...super.history(...asked), isComplete: true };
  }
}
class SeesGapsEverywhere extends InProcessBroker {
  override history(...asked: Parameters<InProcessBroker['history']>): HistoryPage {
    return { ...super.history(...asked), isComplete: false };
  }
}
class HasNoTime extends InProcessBroker {
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
class StandsStill extends InProcessBroker {
  private readonly first = super.history('', '', 0).now;
  override history(...asked: Parameters<InProcessBroker['history']>): HistoryPage {
    return { ...super.history(...asked), now: this.first };
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
    [
      KeepsEverything,
      'keeps the events that a history is named for, in order, with their positions and whom they exclude',
    ],
    [
      KeepsForAllApps,
      'keeps the events that a history is named for, in order, with their positions and whom they exclude',
    ],
    [IncludesThePosition, 'answers what came after a position, page by page'],
    [SeesGapsEverywhere, 'answers what came after a position, page by page'],
    [StandsStill, 'has a position for this moment, though nothing was ever published: what comes is after it'],
    [KnowsNothingOfGaps, 'drops the oldest events over the bounds, and says so to who has not got the last of them'],
    [CountsNoBytes, 'drops the oldest events over the bounds, and says so to who has not got the last of them'],
    [HasNoTime, 'drops events whose time is over, and still knows that there were some'],
    [KnowsNothingOfGaps, 'drops events whose time is over, and still knows that there were some'],
    [KnowsNothingOfGaps, 'answers no complete page for a position that it has not given out'],
    [KeepsLate, 'has an event in its history when it is told'],
  ])('%o: %s', async (Broken, promise) => {
    expect(await brokenPromises(describeBroker, () => new Broken(), promise)).toEqual([promise]);
  });
});
