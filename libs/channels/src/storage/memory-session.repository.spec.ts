import { randomUUID } from 'node:crypto';
import { afterEach, expect, it, vi } from 'vitest';
import { newSessionId } from '@rookery/client';
import { MemorySessionRepository } from './memory-session.repository.js';

afterEach(() => void vi.useRealTimers());

const day = 86_400;
const tab = (appId: string, id: string) => ({ appId, key: 'key', id });
const channels = (count: number) => Array.from({ length: count }, (_, n) => [`channel-${n}`, '7'] as const);

it('forgets the oldest sessions of the app with the most when it is full, and answers that they may be lost', () => {
  const sessions = new MemorySessionRepository(1_000_000);
  sessions.open(tab('small', 'a'), '1.1', day);
  sessions.save(tab('small', 'a'), '1.1', { positions: channels(10) }, day);
  for (let n = 0; n < 100; n++) {
    sessions.open(tab('large', String(n)), '1.1', day);
    sessions.save(tab('large', String(n)), '1.1', { positions: channels(100) }, day);
  }
  expect(sessions.open(tab('small', 'a'), '2.2', day)?.positions).toHaveLength(10);
  expect(sessions.open(tab('small', 'new'), '1.1', day)).toBeUndefined();
  expect(sessions.open(tab('large', '99'), '2.2', day)?.positions).toHaveLength(100);
  expect(sessions.save(tab('large', '0'), '1.1', { positions: channels(1) }, day)).toBe('forgotten');
  expect(sessions.open(tab('large', '0'), '2.2', day)).toEqual({ socketIds: [], positions: [], isLost: true });
});

it('answers that a session may be lost which was made more than a minute before the process had any', () => {
  vi.useFakeTimers();
  const ids = [newSessionId(), (vi.advanceTimersByTime(30_001), newSessionId()), randomUUID()];
  vi.advanceTimersByTime(30_000);
  const sessions = new MemorySessionRepository();
  const opened = (): unknown[] =>
    [...ids, newSessionId()].map((id) => sessions.open(tab('app', id), '1.1', day)?.isLost);
  expect(opened()).toEqual([true, undefined, undefined, undefined]);
  vi.advanceTimersByTime(3_600_000);
  expect(opened()).toEqual([true, undefined, undefined, undefined]);
});

it('has room again for what clients have left', () => {
  const sessions = new MemorySessionRepository(100_000);
  const one = tab('app', 'one');
  sessions.open(one, '1.1', day);
  for (let n = 0; n < 1000; n++) {
    sessions.save(one, '1.1', { positions: [[`channel-${n}`, '7']] }, day);
    expect(sessions.save(one, '1.1', { positions: [[`channel-${n}`, null]] }, day)).toBe('saved');
  }
});

it.each([
  ['a position', { positions: channels(1) }, undefined],
  ['a user', { positions: [], userId: 'alice' }, undefined],
  ['nothing', { positions: [] }, true],
])('answers that a session may be lost until something is saved of it: %s', (_, changes, isLost) => {
  const sessions = new MemorySessionRepository(100_000);
  for (let n = 0; n < 100; n++) {
    sessions.open(tab('app', String(n)), '1.1', day);
    sessions.save(tab('app', String(n)), '1.1', { positions: channels(10) }, day);
  }
  sessions.open(tab('app', 'mine'), '1.1', day);
  expect(sessions.save(tab('app', 'mine'), '1.1', changes, day)).toBe('saved');
  expect(sessions.open(tab('app', 'mine'), '2.2', day)?.isLost).toBe(isLost);
});

it('has room again for what has expired, before it takes any session for lost', () => {
  vi.useFakeTimers();
  const sessions = new MemorySessionRepository(100_000);
  for (let n = 0; n < 100; n++) sessions.open(tab('app', `old ${n}`), '1.1', 60);
  vi.advanceTimersByTime(60_000);
  for (let n = 0; n < 100; n++) sessions.open(tab('app', `new ${n}`), '1.1', 60);
  expect(sessions.open(tab('app', 'another'), '1.1', 60)).toBeUndefined();
  expect(sessions.save(tab('app', 'new 0'), '1.1', { positions: channels(1) }, 60)).toBe('saved');
});
