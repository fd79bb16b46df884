import { Logger } from '@nestjs/common';
import { afterEach, expect, it, vi } from 'vitest';
import { MemoryLiveActivityRepository } from './memory-live-activity.repository.js';

afterEach(() => void vi.restoreAllMocks());

it('warns once, when something is kept that a restart would lose', () => {
  const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
  const activities = new MemoryLiveActivityRepository();
  activities.startTokens('instance', ['apns-1']);
  expect(warn).not.toHaveBeenCalled();
  for (const id of ['apns-1', 'apns-2']) activities.setStartToken('instance', id, 'token');
  expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('lost on restart'));
});
