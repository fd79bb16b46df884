import { describe, expect, it } from 'vitest';
import type { BrokerMessage } from 'rookery/channels';
import { headOf, parseMessage } from './message-text.js';

const topic = { appId: '3', channel: 'news' };
const position = '1700000000000001';
const event = { kind: 'event', ...topic, text: '{"event":"a"}' } as const;

describe('a message', () => {
  it.each<BrokerMessage>([
    event,
    { ...event, text: '' },
    { ...event, text: 'two\nlines' },
    { ...event, except: '1.2', asks: 'a', acceptedAt: 1.5, traceparent: '00-a' },
    { ...event, change: { userId: 'alice', isPresent: true, version: 7, previous: 6 } },
    { ...event, history: { events: 1, seconds: 2, bytes: 3 } },
    { kind: 'revoke', ...topic, userId: 'alice' },
    { kind: 'terminate', ...topic },
    { kind: 'reconnect', ...topic },
  ])('is read as it was written: %o', (message) => {
    const text = message.kind === 'event' ? message.text : '';
    expect(parseMessage(`${position}\n${headOf(message)}\n${text}`, topic)).toEqual({ message, position });
  });

  it.each([
    '',
    'text without lines',
    position,
    `${position}\n`,
    `zzz\n\n${event.text}`,
    `${position}0\n\n${event.text}`,
    `${position}\n{"except":\n${event.text}`,
    `${position}\nnull\n`,
    `${position}\n"stop"\n`,
    `${position}\n[]\n`,
    `${position}\n{"kind":"later"}\n`,
    `${position}\n{"kind":"revoke"}\n`,
    `${position}\n{"except":7}\n${event.text}`,
    `${position}\n{"acceptedAt":"now"}\n${event.text}`,
    `${position}\n{"acceptedAt":1e400}\n${event.text}`,
    `${position}\n{"change":{"userId":"alice","isPresent":true}}\n${event.text}`,
    `${position}\n{"change":null}\n${event.text}`,
    `${position}\n{"channel":"other"}\n${event.text}`,
    `${position}\n{"history":7}\n${event.text}`,
  ])('is not read where no release wrote it so: %o', (payload) => {
    expect(parseMessage(payload, topic)).toBeUndefined();
  });

  it('of a later release may have more fields', () => {
    const payload = `${position}\n{"later":1}\n${event.text}`;
    expect(parseMessage(payload, topic)?.message).toMatchObject(event);
  });
});
