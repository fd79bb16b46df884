import { anything, assert, json, jsonValue, oneof, property, record, string, stringify } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseClientMessage } from './client-message.js';
import { ProtocolError } from './protocol-error.js';

describe('a message', () => {
  it.each([
    ['{"event":"pusher:ping","data":{}}', { event: 'pusher:ping' }],
    ['{"event":"pusher:ping"}', { event: 'pusher:ping' }],
    ['{"event":"pusher:pong","data":"{}"}', { event: 'pusher:pong' }],
    ['{"event":"pusher:subscribe","data":{"channel":"a"}}', { event: 'pusher:subscribe', channel: 'a' }],
    [
      '{"event":"pusher:subscribe","data":{"channel":"a","auth":""}}',
      { event: 'pusher:subscribe', channel: 'a', auth: '' },
    ],
    ['{"event":"pusher:subscribe","data":{"channel":"a","auth":null}}', { event: 'pusher:subscribe', channel: 'a' }],
    [
      '{"event":"pusher:subscribe","data":"{\\"channel\\":\\"a\\",\\"channel_data\\":\\"{}\\"}"}',
      { event: 'pusher:subscribe', channel: 'a', channelData: '{}' },
    ],
    ['{"event":"pusher:unsubscribe","data":{"channel":"a"}}', { event: 'pusher:unsubscribe', channel: 'a' }],
    [
      '{"event":"pusher:signin","data":{"auth":"k:s","user_data":"{}"}}',
      { event: 'pusher:signin', auth: 'k:s', userData: '{}' },
    ],
    [
      '{"event":"client-x","channel":"private-a","data":"as it is"}',
      { event: 'client', name: 'client-x', channel: 'private-a', data: 'as it is' },
    ],
    [
      '{"event":"client-x","channel":"private-a","data":{"a":[1, null]}}',
      { event: 'client', name: 'client-x', channel: 'private-a', data: '{"a":[1,null]}' },
    ],
    [
      '{"event":"client-x","channel":"private-a","data":null}',
      { event: 'client', name: 'client-x', channel: 'private-a', data: 'null' },
    ],
  ])('%s is read', (text, message) => {
    expect(parseClientMessage(text)).toEqual(message);
  });

  it('takes no field from a prototype', () => {
    const text = '{"event":"pusher:subscribe","data":{"__proto__":{"channel":"a"}}}';
    expect(() => parseClientMessage(text)).toThrow('channel must be a string');
  });

  it('is parsed or refused with a protocol error, for any text', () => {
    const event = oneof(
      jsonValue(),
      string().map((name) => `pusher:${name}`),
      string().map((name) => `client-${name}`),
    );
    const frame = record({ event, channel: jsonValue(), data: jsonValue() }, { requiredKeys: [] });
    const text = oneof(
      frame.map((each) => JSON.stringify(each)),
      json(),
      string({ unit: 'binary' }),
      anything().map((value) => stringify(value)),
    );
    assert(
      property(text, (each) => {
        try {
          expect(parseClientMessage(each)).toHaveProperty('event');
        } catch (error) {
          expect(error).toBeInstanceOf(ProtocolError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('of a client keeps its data, for any JSON', () => {
    assert(
      property(jsonValue(), (data) => {
        const message = parseClientMessage(JSON.stringify({ event: 'client-x', channel: 'private-a', data }));
        const relayed = (message as { data: string }).data;
        expect(typeof data === 'string' ? relayed : JSON.parse(relayed)).toEqual(JSON.parse(JSON.stringify(data)));
      }),
    );
  });
});
