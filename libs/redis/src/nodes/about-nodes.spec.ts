import { Logger } from '@nestjs/common';
import { AboutNodes } from 'rookery/internal/channels';
import { afterEach, expect, it, vi } from 'vitest';
import { DroppedRecords } from '../connection/dropped-records.js';
import type { RedisConnection } from '../connection/redis.connection.js';
import { RedisLeaseStore } from './redis-lease.store.js';

afterEach(() => vi.restoreAllMocks());

it('reads the descriptions of the others once, at the start', async () => {
  vi.spyOn(Logger.prototype, 'log').mockReturnValue(undefined);
  const warned = vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
  const older = JSON.stringify({ where: 'elsewhere:1', version: '0.0.1', apps: '' });
  const ask = vi.fn(async () => ({ unreadable: '{', older }));
  const redis = {
    ask,
    dropped: new DroppedRecords(new Logger('Redis')),
    keys: { ofNodes: String },
    settings: { keyPrefix: 'rookery' },
  };
  const about = new AboutNodes(new RedisLeaseStore(redis as unknown as RedisConnection), 'me', '');
  for (const alive of [2, 2, 3, 200]) await about.compare(alive);
  expect(ask).toHaveBeenCalledOnce();
  expect(warned.mock.calls.map(([line]) => line)).toEqual([
    'Dropped 1 record in Redis that this release cannot read, the latest one a description of a process',
    expect.stringContaining('elsewhere:1 runs version 0.0.1'),
  ]);
});
