import { beforeEach, expect, it } from 'vitest';
import type { Connection } from '../connections/connection.js';
import { Frame } from './frame.js';
import { PendingFrames } from './pending-frames.js';

function client(socketId: string) {
  const closes: (number | null)[] = [];
  const connection = { socketId, isClosed: false, close: ({ code }: { code: number }) => closes.push(code) };
  return { connection: connection as unknown as Connection, closes, state: connection };
}

const frame = (text: string, position: string, except?: string) =>
  new Frame({ text, ...(except && { except }) }, position);

let pending: PendingFrames;
beforeEach(() => {
  pending = new PendingFrames(5);
});

it('frames are kept for each connection that is being subscribed, unless it is excluded or closed', () => {
  const [alice, bob, carol] = [client('1.1'), client('1.2'), client('1.3')];
  for (const { connection } of [alice, bob, carol]) pending.open(connection);
  expect([pending.size, ...pending]).toEqual([3, alice.connection, bob.connection, carol.connection]);
  carol.state.isClosed = true;
  const [one, two] = [frame('a', '1', '1.2'), frame('b', '2')];
  pending.publish(one);
  pending.publish(two);
  expect([pending.has(bob.connection, '1'), pending.has(bob.connection, '2')]).toEqual([false, true]);
  expect([alice, bob, carol].map(({ connection }) => pending.take(connection))).toEqual([[one, two], [two], []]);
  expect(pending.size).toBe(0);
});

it('no frames are kept for a connection that is not being subscribed', () => {
  const alice = client('1.1');
  pending.publish(frame('a', '1'));
  expect([pending.take(alice.connection), pending.has(alice.connection, '1')]).toEqual([undefined, false]);
});

it('a connection is closed with 4100 when more characters would be kept for it than the limit', () => {
  const alice = client('1.1');
  pending.open(alice.connection);
  pending.publish(frame('abc', '1'));
  pending.publish(frame('de', '2'));
  expect([alice.closes, pending.has(alice.connection, '1')]).toEqual([[], true]);
  pending.publish(frame('f', '3'));
  expect([alice.closes, pending.take(alice.connection)]).toEqual([[4100], []]);
});
