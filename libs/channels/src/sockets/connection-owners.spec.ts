import { Logger } from '@nestjs/common';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { ThisNode } from '#common';
import { MemoryPresenceRepository, PresenceService } from 'rookery/presence';
import { TransitionOrder } from '../storage/transition-order.js';
import { ConnectionOwners } from './connection-owners.js';

beforeAll(() => Logger.overrideLogger(false));

function start() {
  const ledger = new MemoryPresenceRepository();
  const process = (): ConnectionOwners => {
    const node = new ThisNode();
    return new ConnectionOwners(new PresenceService(ledger, node), new TransitionOrder(), node);
  };
  return { ledger, one: process(), other: process() };
}

describe('a connection over HTTP', () => {
  it('belongs to the process that claims it first, until that releases it', async () => {
    const { one, other } = start();
    const owner = await one.claim('app', 'phone');
    expect(await other.claim('app', 'phone')).toBe(owner);
    one.release('app', 'phone');
    await expect.poll(() => other.find('app', 'phone')).toBeUndefined();
    expect(await other.claim('app', 'phone')).not.toBe(owner);
  });

  it('keeps its owner when that claims it anew while its release is repeated', async () => {
    const { ledger, one, other } = start();
    const owner = await one.claim('app', 'phone');
    const leave = vi.spyOn(ledger, 'leave').mockRejectedValueOnce(new Error('Redis is away'));
    one.release('app', 'phone');
    await expect.poll(() => leave.mock.calls).toHaveLength(1);
    await new Promise(setImmediate);
    expect(await one.claim('app', 'phone')).toBe(owner);
    await expect.poll(() => leave.mock.calls).toHaveLength(2);
    expect(await other.find('app', 'phone')).toBe(owner);
  });
});
