import { describe, expect, it } from 'vitest';
import {
  type Added,
  type Backlog,
  type Cancelled,
  type ClaimedPublish,
  type Lane,
  type LaneChange,
  MemoryPublishOutbox,
  type OnceKey,
  type OutcomePage,
  type OutcomeQuery,
  type Publish,
  type PublishPlace,
  type Retry,
  type Saved,
} from 'rookery/publish';
import { TypeOrmPublishOutbox } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { describePublishOutbox } from 'rookery/testing';
import { brokenPromises } from './broken-promises.js';

describe('MemoryPublishOutbox', () => {
  describePublishOutbox(() => new MemoryPublishOutbox());
});

describeDatabases('TypeOrmPublishOutbox', ({ database }) => {
  describePublishOutbox(async () => {
    for (const table of ['publishes', 'publish_keys']) await database().execute(`DELETE FROM rookery_${table}`);
    return new TypeOrmPublishOutbox(database());
  });
});

class HandsOutTwice extends MemoryPublishOutbox {
  override claim(owner: string, now: number): Promise<ClaimedPublish | undefined> {
    return super.claim(owner, now, 0);
  }
}
class NeverFreesADeadOwnersWork extends MemoryPublishOutbox {
  override claim(owner: string, now: number): Promise<ClaimedPublish | undefined> {
    return super.claim(owner, now, Infinity);
  }
}
/** As an update would that looks only at the id. */
class HasNoFence extends MemoryPublishOutbox {
  private owner = '';
  override claim(owner: string, now: number, leaseMs: number): Promise<ClaimedPublish | undefined> {
    this.owner = owner;
    return super.claim(owner, now, leaseMs);
  }
  override save(_owner: string, publishId: string, lane: Lane, change?: LaneChange): Promise<Saved> {
    return super.save(this.owner, publishId, lane, change);
  }
}
class LosesRetries extends MemoryPublishOutbox {
  override save(owner: string, publishId: string, lane: Lane): Promise<Saved> {
    return super.save(owner, publishId, lane);
  }
}
class RetriesTooEarly extends MemoryPublishOutbox {
  override retries(
    publishId: string,
    platform: Lane['platform'],
    _now: number,
    limit: number,
  ): Promise<readonly Retry[]> {
    return super.retries(publishId, platform, Infinity, limit);
  }
}
/** As a look-up would that is not in one transaction with what follows it. */
class AddsBothThatRace extends MemoryPublishOutbox {
  private readonly seen = new Map<string, Promise<Added>>();
  override async add(publish: Publish, once?: OnceKey): Promise<Added> {
    const known = once && this.seen.get(once.key);
    await Promise.resolve();
    if (known) return { ...(await known), outcome: 'repeated' };
    const added = super.add(publish);
    if (once) this.seen.set(once.key, added);
    return added;
  }
}
class MixesInstances extends MemoryPublishOutbox {
  override add(publish: Publish, once?: OnceKey): Promise<Added> {
    return super.add({ ...publish, instanceId: 'same' }, once);
  }
}
class IgnoresTheBody extends MemoryPublishOutbox {
  override add(publish: Publish, once?: OnceKey): Promise<Added> {
    return super.add(publish, once && { ...once, fingerprint: 'same' });
  }
}
class RemembersKeysForEver extends MemoryPublishOutbox {
  override add(publish: Publish, once?: OnceKey): Promise<Added> {
    return super.add(publish, once && { ...once, expiresAt: Infinity });
  }
}
class ListsTheOldestFirst extends MemoryPublishOutbox {
  override async latest(instanceId: string, limit: number, after?: PublishPlace): Promise<readonly Publish[]> {
    return (await super.latest(instanceId, limit, after)).toReversed();
  }
}
class ListsEveryonesPublishes extends MemoryPublishOutbox {
  private readonly added: Publish[] = [];
  override add(publish: Publish, once?: OnceKey): Promise<Added> {
    this.added.push(publish);
    return super.add(publish, once);
  }
  override async latest(_instanceId: string, limit: number, after?: PublishPlace): Promise<readonly Publish[]> {
    return after ? [] : this.added.toReversed().slice(0, limit);
  }
}
class LastComeFirstServed extends MemoryPublishOutbox {
  override release(owner: string, publishId: string): Promise<void> {
    return super.release(owner, publishId, 0);
  }
}
class SendsAtOnce extends MemoryPublishOutbox {
  override add(publish: Publish, once?: OnceKey): Promise<Added> {
    return super.add({ ...publish, publishAt: undefined }, once);
  }
}
class CancelsOnlyWhatWaits extends MemoryPublishOutbox {
  override async save(owner: string, publishId: string, lane: Lane, change?: LaneChange): Promise<Saved> {
    return (await super.save(owner, publishId, lane, change)) === 'lost' ? 'lost' : 'saved';
  }
}
/** As an update would that sets no more than the mark. */
class LeavesTheCancelledWaiting extends MemoryPublishOutbox {
  override async cancel(instanceId: string, publishId: string): Promise<Cancelled> {
    return super.cancel(instanceId, publishId, Infinity);
  }
}
class CancelsWhatIsOver extends MemoryPublishOutbox {
  override async cancel(instanceId: string, publishId: string, now: number): Promise<Cancelled> {
    const outcome = await super.cancel(instanceId, publishId, now);
    return outcome === 'finished' ? 'cancelled' : outcome;
  }
}
class CountsWhatIsScheduled extends MemoryPublishOutbox {
  override backlog(): Promise<Backlog> {
    return super.backlog(Infinity);
  }
}
/** As a plain INSERT would that leaves what is there. */
class KeepsTheFirstOutcome extends MemoryPublishOutbox {
  override save(owner: string, publishId: string, lane: Lane, change?: LaneChange): Promise<Saved> {
    const isLater = change?.outcomes?.of === 'retries';
    return super.save(owner, publishId, lane, isLater ? { ...change, outcomes: undefined } : change);
  }
}
class EndsWithTheFirstPage extends MemoryPublishOutbox {
  override async outcomes(publishId: string, query: OutcomeQuery): Promise<OutcomePage> {
    const { devices } = await super.outcomes(publishId, query);
    return { devices };
  }
}
class ForgetsFreshOutcomes extends MemoryPublishOutbox {
  override forgetOutcomes(): Promise<number> {
    return super.forgetOutcomes(Infinity);
  }
}
class ForgetsOpenOnes extends MemoryPublishOutbox {
  override async forget(): Promise<void> {
    await super.forget(await super.finishedBefore(Infinity, 100));
  }
}
class NeverTellsThatRangesAreWanted extends MemoryPublishOutbox {
  override async ask(): Promise<void> {}
}
class AsksForEver extends MemoryPublishOutbox {
  private isWanted = false;
  override async ask(): Promise<void> {
    this.isWanted = true;
  }
  override async save(owner: string, publishId: string, lane: Lane, change?: LaneChange): Promise<Saved> {
    const saved = await super.save(owner, publishId, lane, change);
    return saved === 'saved' && this.isWanted ? 'wanted' : saved;
  }
}
/** As a claim would that forgot the second of its two places. */
class HidesRanges extends MemoryPublishOutbox {
  override save(owner: string, publishId: string, lane: Lane, change?: LaneChange): Promise<Saved> {
    const { handedOver, ...rest } = change ?? { again: [], settled: [] };
    const never = handedOver && { ...handedOver, dueAt: Infinity };
    return super.save(owner, publishId, lane, { ...rest, handedOver: never });
  }
}
class GivesOneTheSamePublishTwice extends MemoryPublishOutbox {
  override claim(owner: string, now: number, leaseMs: number): Promise<ClaimedPublish | undefined> {
    return super.claim(owner, now, leaseMs);
  }
}
class EndsWithTheFirstWhoLeaves extends MemoryPublishOutbox {
  override async leave(owner: string, publishId: string, leasedUntil: number): Promise<readonly Lane[] | undefined> {
    await super.leave(owner, publishId, leasedUntil);
    return (await this.find('00000000-0000-4000-8000-000000000001', publishId))?.lanes;
  }
}
class NobodyIsTheLast extends MemoryPublishOutbox {
  override async leave(owner: string, publishId: string, leasedUntil: number): Promise<readonly Lane[] | undefined> {
    await super.leave(owner, publishId, leasedUntil);
    return undefined;
  }
}

describe('the contract of PublishOutbox rejects an implementation that', () => {
  it.each([
    [ListsTheOldestFirst, 'lists the publishes of an instance, the newest first, page by page, each once'],
    [ListsEveryonesPublishes, 'lists the publishes of an instance, the newest first, page by page, each once'],
    [HandsOutTwice, 'hides what is claimed until the lease is over'],
    [HandsOutTwice, 'hands out each publish once to claims that race'],
    [NeverFreesADeadOwnersWork, 'hides what is claimed until the lease is over'],
    [HasNoFence, 'refuses what a stale owner writes'],
    [LosesRetries, 'hands out the retries of a lane that are due, the earliest first'],
    [RetriesTooEarly, 'hands out the retries of a lane that are due, the earliest first'],
    [AddsBothThatRace, 'adds exactly one of the requests that race with a key'],
    [MixesInstances, 'keeps the keys of instances apart'],
    [IgnoresTheBody, 'refuses a key that was used for something else'],
    [RemembersKeysForEver, 'forgets a key when its time is over'],
    [LastComeFirstServed, 'makes a released publish due when it says'],
    [LastComeFirstServed, 'puts a released publish behind those that have been due longer'],
    [SendsAtOnce, 'keeps a scheduled publish until its time'],
    [CancelsOnlyWhatWaits, 'tells whoever holds a cancelled publish when it saves'],
    [LeavesTheCancelledWaiting, 'hands out a cancelled publish at once, whatever it waited for'],
    [LeavesTheCancelledWaiting, 'hands out a cancelled publish at once when it is released'],
    [CancelsWhatIsOver, 'cancels nothing that has finished, nor another instance’s'],
    [CountsWhatIsScheduled, 'tells what is due and not held'],
    [KeepsTheFirstOutcome, 'keeps what became of each device with its page, and what was heard of it later'],
    [EndsWithTheFirstPage, 'answers outcomes in pages'],
    [HasNoFence, 'keeps no outcomes of a stale owner'],
    [ForgetsFreshOutcomes, 'forgets old outcomes, and only those'],
    [NeverTellsThatRangesAreWanted, 'asks whoever holds a publish for a range, until one is handed over'],
    [AsksForEver, 'asks whoever holds a publish for a range, until one is handed over'],
    [HidesRanges, 'hands out a range for itself, and keeps it from those who have the publish already'],
    [HidesRanges, 'hands out the range or the publish that has been due the longest'],
    [HidesRanges, 'counts a publish with the ranges of it that wait'],
    [GivesOneTheSamePublishTwice, 'hands out a range for itself, and keeps it from those who have the publish already'],
    [HasNoFence, 'fences a range by its own owner'],
    [LastComeFirstServed, 'makes a released range due when it says'],
    [EndsWithTheFirstWhoLeaves, 'gives the whole publish to the last who leaves, to finish it'],
    [EndsWithTheFirstWhoLeaves, 'lets exactly one of those who leave together be the last'],
    [NobodyIsTheLast, 'gives the whole publish to the last who leaves, to finish it'],
    [CancelsOnlyWhatWaits, 'tells all who share a publish that it is cancelled'],
    [LeavesTheCancelledWaiting, 'tells all who share a publish that it is cancelled'],
    [ForgetsOpenOnes, 'forgets finished publishes that are old, and only those'],
  ])('%o: %s', async (Broken, promise) => {
    expect(await brokenPromises(describePublishOutbox, () => new Broken())).toContain(promise);
  });
});
