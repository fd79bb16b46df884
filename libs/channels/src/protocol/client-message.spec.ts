import { anything, assert, json, jsonValue, oneof, property, record, string, stringify } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseClientMessage } from './client-message.js';
import { ProtocolError } from './protocol-error.js';

const parsed = (text: string) => {
  try {
    return parseClientMessage(text);
  } catch (error) {
    return error as Error;
  }
};

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
    [
      '{"event":"client-x","channel":"private-a","data":{"id": 1234567890123456781}}',
      { event: 'client', name: 'client-x', channel: 'private-a', data: '{"id":1234567890123456781}' },
    ],
    [
      '{"event":"client-x","channel":"private-a","data":"1234567890123456781 "}',
      { event: 'client', name: 'client-x', channel: 'private-a', data: '1234567890123456781 ' },
    ],
  ])('%s is read', (text, message) => {
    expect(parseClientMessage(text)).toStrictEqual(message);
  });

  it.each([
    ['Invalid message: not JSON', '{'],
    ['Invalid message: a JSON object is expected', '7'],
    ['Invalid message: a JSON object is expected', 'null'],
    ['Invalid message: a JSON object is expected', '[]'],
    ['Invalid message: event must be a string', '{}'],
    ["Unknown event 'pusher:other'", '{"event":"pusher:other"}'],
    ["Unknown event 'x-client-'", '{"event":"x-client-","channel":"a","data":""}'],
    ['Invalid message: data must be an object', '{"event":"pusher:subscribe"}'],
    ['Invalid message: data must be an object', '{"event":"pusher:subscribe","data":"[]"}'],
    ['Invalid message: not JSON', '{"event":"pusher:subscribe","data":"{"}'],
    ['Invalid message: channel must be a string', '{"event":"pusher:subscribe","data":{}}'],
    ['Invalid message: channel must be a string', '{"event":"pusher:subscribe","data":{"channel":null}}'],
    ['Invalid message: channel must be a string', '{"event":"pusher:unsubscribe","data":{"channel":7}}'],
    ['Invalid message: auth must be a string', '{"event":"pusher:signin","data":{"user_data":"{}"}}'],
    ['Invalid message: user_data must be a string', '{"event":"pusher:signin","data":{"auth":"k:s"}}'],
    ['Invalid client event (must contain channel and data)', '{"event":"client-x","data":{}}'],
    ['Invalid client event (must contain channel and data)', '{"event":"client-x","channel":7,"data":{}}'],
    ['Invalid client event (must contain channel and data)', '{"event":"client-x","channel":"private-a"}'],
  ])('is refused with “%s”: %s', (message, text) => {
    expect(() => parseClientMessage(text)).toThrow(expect.objectContaining({ message }));
  });

  it.each(['auth', 'channel_data'])('names the channel of a subscribe whose %s cannot be read', (field) => {
    const text = JSON.stringify({ event: 'pusher:subscribe', data: { channel: 'a', [field]: 7 } });
    const refusal = { message: `Invalid message: ${field} must be a string`, channel: 'a' };
    expect(() => parseClientMessage(text)).toThrow(expect.objectContaining(refusal));
  });

  it('of a client is refused if its data is nested too deeply to be written again', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const text = `{"event":"client-x","channel":"private-a","data":${deep}}`;
    expect(() => parseClientMessage(text)).toThrow('the JSON of data is nested too deeply');
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
        expect(parsed(each)).toSatisfy((it) => it instanceof ProtocolError || Object.hasOwn(it, 'event'));
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
