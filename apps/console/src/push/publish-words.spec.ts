import { expect, it } from 'vitest';
import type { PlatformProgress, Publish } from '../api/contract.js';
import { stateWord } from './publish-words.js';

const progress = (given: Partial<PlatformProgress>): PlatformProgress => ({
  platform: 'fcm',
  fault: null,
  audience: 3,
  sent: 0,
  delivered: 0,
  failed: 0,
  later: 0,
  retryAt: null,
  explanations: [],
  ...given,
});

const sending = (...platforms: readonly PlatformProgress[]) =>
  stateWord({ state: 'sending', result: null, platforms } as unknown as Publish)[0];

it('calls it sending only while devices are sent to for the first time', () => {
  expect(sending(progress({ sent: 1, later: 2 }))).toBe('sending');
  expect(sending(progress({ sent: 1, later: 2, retryAt: 5 }))).toBe('retrying');
  expect(sending(progress({ later: 2, retryAt: 5, fault: 'no such key' }))).toBe('held up');
});
