import type { ModuleRef } from '@nestjs/core';
import { expect, it, vi } from 'vitest';
import { type LeaseRenewal, LeaseStore, NodeLease, NodesService } from 'rookery/internal/channels';
import type { ThisNode } from '#common';
import { type Disturbance, survived } from './disturbed.js';
import { fakeTime } from './fake-time.js';
import { config, Page, rosterOf, ServedChannels, turns } from './served-channels.js';

// A fault between any two calls of shared state while a process takes out a dead one, or announces its own entries.

fakeTime();

const room = 'presence-room';
const place = { scope: config.id, name: room };
const heartbeatSeconds = 5;
/** Why a lost answer is lost here. */
const again = 'the stores of several processes keep an answer that was lost for the next call; this one is of one';

/** The leases of this process and of those that have died. */
class Leases extends LeaseStore {
  readonly name = 'Redis';
  readonly scope = 'on this Redis';
  readonly settings = { heartbeatSeconds, leaseSeconds: 15, outageSeconds: 5 };
  readonly dead = new Set<string>();
  breaks = 0;
  epoch = 'one';

  async renew(_node: string, _about: unknown, knownEpoch: string): Promise<LeaseRenewal> {
    const isNext = knownEpoch !== '' && knownEpoch !== this.epoch;
    return { state: 'held', alive: 1, epoch: this.epoch, ageMs: 1_000_000, isNext };
  }
  async claimDead(): Promise<string | undefined> {
    return [...this.dead][0];
  }
  async bury(deadId: string): Promise<void> {
    this.dead.delete(deadId);
  }
  async end(): Promise<void> {}
  async others(): Promise<[]> {
    return [];
  }
  onReconnect(): void {}
  onTakenForDead(): void {}
  ledgerIsBack(): void {}
  close(): void {}
}

interface World {
  readonly served: ServedChannels;
  readonly leases: Leases;
  readonly lease: NodeLease;
  readonly page: Page;
}

/** A process with a page, beside one with a member. */
async function world(disturbance: Disturbance): Promise<World> {
  const served = await new ServedChannels().start(disturbance);
  const leases = new Leases();
  const node = { id: served.nodeId } as ThisNode;
  const modules = { get: () => served.get(NodesService) } as unknown as ModuleRef;
  const lease = new NodeLease(disturbance.port('leases', leases, ['renew', 'claimDead', 'bury']), node, modules);
  served.presence.join(place, { nodeId: 'dead', connectionId: '9.9' }, { userId: 'ann' }, 10);
  served.channels.occupy(config.id, room, 'dead', 1);
  served.channels.occupy(config.id, 'news', 'dead', 1);
  const page = new Page(served);
  await page.subscribe(room, 'bob');
  await lease.onApplicationBootstrap();
  return { served, leases, lease, page };
}

const beats = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n++) {
    await turns(3);
    await vi.advanceTimersByTimeAsync(heartbeatSeconds * 1000);
  }
  await turns(3);
};

async function end({ served, leases, lease, page }: World) {
  const ended = {
    dead: [...leases.dead],
    roster: rosterOf(page, room),
    members: served.presence.roster(place).members.map(({ userId }) => userId),
    counts: served.channels.subscriptionCounts(config.id, [room, 'news']),
    told: [...served.told].toSorted(),
  };
  await lease.onApplicationShutdown();
  await served.stop();
  return ended;
}

it('a dead process that is taken out', async () => {
  const wrong = await survived<World>({
    world,
    work: async ({ leases }) => {
      leases.dead.add('dead');
      await beats(2);
    },
    later: () => beats(8),
    end,
    except: { 'presence.takeOut, loses its answer': again, 'channels.takeOut, loses its answer': again },
  });
  expect(wrong).toEqual([]);
});

it('shared state that was lost, and is announced again', async () => {
  const wrong = await survived<World>({
    world,
    work: async ({ served, leases }) => {
      served.presence.takeOut(served.nodeId, 'nobody');
      served.channels.takeOut(served.nodeId, 'nobody');
      leases.epoch = 'two';
      await beats(2);
    },
    later: () => beats(8),
    end,
  });
  expect(wrong).toEqual([]);
});
