import { describe } from 'vitest';
import { type BrokerMessage, type HistoryBounds, InProcessBroker } from 'rookery/channels';
import { describeBroker } from '@rookery/testing';
import { describeBrokenDoubles } from './broken-doubles.js';

const inProcess = () => new InProcessBroker();

describe('InProcessBroker', () => {
  describeBroker(inProcess);
});

/** The message with another history, if it has one. */
const withHistory = (message: BrokerMessage, wrong: Partial<HistoryBounds>): BrokerMessage =>
  message.kind === 'event' && message.history ? { ...message, history: { ...message.history, ...wrong } } : message;

describeBrokenDoubles('Broker', describeBroker, inProcess, (right, double) => ({
  'delivers a message unchanged to the publishing process, once': [
    double('delivers twice', {
      publish(...asked) {
        right.publish(...asked);
        return right.publish(...asked);
      },
    }),
    double('sends to the excluded', {
      publish(message) {
        const { appId, channel } = message;
        return right.publish(
          message.kind === 'event' ? { kind: 'event', appId, channel, text: message.text } : message,
        );
      },
    }),
  ],
  'delivers orders to end a user’s connections': double('delivers only events', {
    publish: (message) => (message.kind === 'event' ? right.publish(message) : ''),
  }),
  'keeps the order of one publisher on a channel, even without waiting in between': [
    double('mixes up the order', (earlier?: BrokerMessage) => ({
      publish(message) {
        const late = earlier;
        earlier = late ? undefined : message;
        if (!late) setImmediate(() => earlier === message && right.publish(message));
        else for (const each of [message, late]) right.publish(each);
        return '';
      },
    })),
  ],
  'answers the position with which the message arrives, greater than the one before': [
    double('numbers positions without leading zeros', (count = 9) => ({
      receive(receiver) {
        right.receive({ ...receiver, message: (message) => receiver.message(message, String(count)) });
      },
      publish(message) {
        count += 1;
        right.publish(message);
        return String(count);
      },
    })),
  ],
  'distinguishes channels of the same name in two apps': double('mixes apps', {
    publish: (message) => right.publish({ ...message, appId: 'one' }),
  }),
  'accepts repeated subscribe and unsubscribe, and delivers a message once': 'delivers twice',
  'is subscribed after an unsubscribe and a subscribe, even without waiting in between': [
    double('unsubscribes late', (channels = new Set<string>()) => ({
      subscribe: (appId, channel) => void channels.add(`${appId}/${channel}`),
      unsubscribe: (appId, channel) => void setImmediate(() => channels.delete(`${appId}/${channel}`)),
      publish: (message) => (channels.has(`${message.appId}/${message.channel}`) ? right.publish(message) : ''),
    })),
  ],
  'remembers a channel’s last event if requested, with its position and its remaining seconds': [
    double('remembers the first', {
      publish(message, rememberSeconds) {
        const isKept = right.recall(message.appId, message.channel) !== undefined;
        return right.publish(message, isKept ? undefined : rememberSeconds);
      },
    }),
    double('remembers everything', { publish: (message) => right.publish(message, 60) }),
  ],
  'remembers an event in the step that publishes it: a subscriber that receives it finds it': double('remembers late', {
    publish(message, rememberSeconds) {
      if (rememberSeconds !== undefined) setImmediate(() => right.publish(message, rememberSeconds));
      return right.publish(message);
    },
  }),
  'forgets an event when it expires': 'remembers everything',
  'keeps events for a history in order, with their positions and excluded connections': [
    double('keeps everything', {
      publish(message) {
        const history = { events: 5, seconds: 60, bytes: 10_000 };
        return right.publish(message.kind === 'event' ? { ...message, history } : message);
      },
    }),
    double('keeps for all apps', { history: (_, ...asked) => right.history('app', ...asked) }),
  ],
  'keeps an event of many channels so that it reads on each of them as if alone': [
    double('keeps the text of the first channel', (first?: string) => ({
      publish(message, rememberSeconds) {
        if (message.kind !== 'event' || message.text.length < 512) return right.publish(message, rememberSeconds);
        first ??= message.text;
        return right.publish({ ...message, text: first }, rememberSeconds);
      },
    })),
  ],
  'answers the events after a position, page by page': [
    double('includes the position', {
      history(appId, channel, limit, after) {
        const all = right.history(appId, channel, 100);
        const events = all.events.filter(({ position }) => after === undefined || position >= after).slice(0, limit);
        return { ...all, events };
      },
    }),
    double('reports gaps everywhere', { history: (...asked) => ({ ...right.history(...asked), isComplete: false }) }),
  ],
  'has a current position even before the first event: later events are after it': [
    double('never advances', (first = right.history('', '', 0).now) => ({
      history: (...asked) => ({ ...right.history(...asked), now: first }),
    })),
  ],
  'drops the oldest events beyond the bounds, and says so to readers that lack the last of them': [
    double('reports no gaps', { history: (...asked) => ({ ...right.history(...asked), isComplete: true }) }),
    double('counts no bytes', { publish: (message) => right.publish(withHistory(message, { bytes: 10_000 })) }),
  ],
  'drops expired events, and still knows that there were some': [
    double('ignores max age', { publish: (message) => right.publish(withHistory(message, { seconds: 60 })) }),
    'reports no gaps',
  ],
  'answers no complete page for an unknown position': 'reports no gaps',
  'keeps the order of kept events and other messages of a channel, even without waiting in between': [
    double('lets kept events be overtaken', (written = Promise.resolve()) => ({
      publish(message) {
        if (message.kind !== 'event' || !message.history) return right.publish(message);
        written = written.then(() => void right.publish(message));
        return '';
      },
    })),
  ],
  'has an event in its history by the time it is delivered': double('keeps late', {
    publish(message) {
      if (message.kind !== 'event' || !message.history) return right.publish(message);
      setImmediate(() => right.publish(message));
      const { history: _, ...now } = message;
      return right.publish(now);
    },
  }),
}));
