import { array, assert, constantFrom, integer, jsonValue, oneof, option, property, string, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as frames from './frames.js';
import { ProtocolError } from './protocol-error.js';

interface Frame {
  readonly event: string;
  readonly channel?: string;
  readonly data: unknown;
  readonly user_id?: string;
}

const text = string({ unit: 'binary' });
/** Those of users have any text in their names. */
const channel = oneof(
  string({ unit: constantFrom(...'aZ09_-=@,.;'), minLength: 1, maxLength: 200 }),
  text.map((userId) => `#server-to-user-${userId}`),
);
const info = option(jsonValue(), { nil: undefined }).map((value) =>
  value === undefined ? undefined : JSON.stringify(value),
);

const parsed = (frame: string): Frame => JSON.parse(frame) as Frame;
/** Outside pusher:error, data is the JSON of something, as text. */
const dataOf = (frame: string): unknown => {
  const { data } = parsed(frame);
  expect(data).toBeTypeOf('string');
  return JSON.parse(data as string);
};

describe('a frame is JSON that decodes to its content, for any text:', () => {
  it('an event, with its data exactly as published', () => {
    assert(
      property(text, channel, text, option(text, { nil: undefined }), (event, name, data, userId) => {
        const frame = parsed(frames.channelEvent(event, name, data, userId));
        expect(frame).toEqual({ event, channel: name, data, ...(userId === undefined ? {} : { user_id: userId }) });
      }),
    );
  });

  it('an error, with an object as data', () => {
    assert(
      property(text, option(integer()), (message, code) => {
        const frame = parsed(frames.error(ProtocolError.refused(message, code, 400)));
        expect(frame).toEqual({ event: 'pusher:error', data: { code, message } });
      }),
    );
  });

  it('a refused subscription, even to an invalid channel name', () => {
    assert(
      property(text, text, (name, message) => {
        const frame = frames.subscriptionError(name, ProtocolError.unauthorized(message));
        expect(parsed(frame)).toMatchObject({ event: 'pusher:subscription_error', channel: name });
        expect(dataOf(frame)).toEqual({ type: 'AuthError', error: message, status: 401 });
      }),
    );
  });

  it('an added and a removed member', () => {
    assert(
      property(channel, text, info, (name, userId, userInfo) => {
        const added = frames.memberAdded(name, userId, userInfo);
        expect(parsed(added)).toMatchObject({ event: 'pusher_internal:member_added', channel: name });
        const expected = userInfo === undefined ? {} : { user_info: JSON.parse(userInfo) as unknown };
        expect(dataOf(added)).toEqual({ user_id: userId, ...expected });
        expect(dataOf(frames.memberRemoved(name, userId))).toEqual({ user_id: userId });
      }),
    );
  });

  it('a sign-in and a watchlist', () => {
    assert(
      property(
        text,
        array(tuple(constantFrom('online' as const, 'offline' as const), array(text))),
        (userData, list) => {
          expect(dataOf(frames.signinSuccess(userData))).toEqual({ user_data: userData });
          const events = list.map(([name, ids]) => ({ name, user_ids: ids }));
          expect(dataOf(frames.watchlistEvents(events))).toEqual({ events });
        },
      ),
    );
  });

  it('a value without text', () => {
    assert(
      property(channel, integer({ min: 0 }), (name, count) => {
        const [succeeded, missed] = [frames.subscriptionSucceeded(name), frames.cacheMiss(name)];
        const counted = frames.subscriptionCount(name, count);
        for (const frame of [succeeded, missed, counted]) expect(parsed(frame).channel).toBe(name);
        for (const frame of [succeeded, missed]) expect(dataOf(frame)).toEqual({});
        expect(dataOf(counted)).toEqual({ subscription_count: count });
        expect(dataOf(frames.connectionEstablished('1.2', count))).toEqual({
          socket_id: '1.2',
          activity_timeout: count,
        });
      }),
    );
    expect([dataOf(frames.ping), dataOf(frames.pong)]).toEqual([{}, {}]);
  });

  it('a gap, and the roster of a presence channel', () => {
    assert(
      property(channel, (name) => {
        expect(parsed(frames.gap(name))).toMatchObject({ event: 'rookery:gap', channel: name });
        expect(dataOf(frames.gap(name))).toEqual({ channel: name });
        const roster = { presence: { count: 0, ids: [], hash: {} } };
        const succeeded = frames.presenceSucceeded(name, JSON.stringify(JSON.stringify(roster)));
        expect(parsed(succeeded)).toMatchObject({ event: 'pusher_internal:subscription_succeeded', channel: name });
        expect(dataOf(succeeded)).toEqual(roster);
      }),
    );
  });

  it('an event with its position in the history, which may be replayed', () => {
    assert(
      property(text, channel, text, (event, name, data) => {
        const frame = frames.channelEvent(event, name, data);
        expect(parsed(frames.placed(frame, '17'))).toEqual({ event, channel: name, data, position: '17' });
        expect(parsed(frames.replayed(frame, '17'))).toMatchObject({ position: '17', replayed: true });
      }),
    );
  });
});
