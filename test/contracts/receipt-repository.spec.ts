import { describe, expect, it } from 'vitest';
import { MemoryReceiptRepository, type NewReceipt, type UserReceipt } from 'rookery/channels';
import { describeReceiptRepository } from '@rookery/testing';
import { brokenPromises } from './broken-promises.js';

describe('MemoryReceiptRepository', () => {
  describeReceiptRepository(() => new MemoryReceiptRepository());
});

class KeepsTheLast extends MemoryReceiptRepository {
  private readonly last = new Map<string, number>();
  override add(receipts: readonly NewReceipt[], maxUsers: number): readonly boolean[] {
    for (const { userId, at } of receipts) this.last.set(userId, at);
    return super.add(receipts, maxUsers);
  }
  override find(...asked: Parameters<MemoryReceiptRepository['find']>): readonly UserReceipt[] {
    return super.find(...asked).map((each) => ({ ...each, receivedAt: this.last.get(each.userId)! }));
  }
}
class ForgetsWhatWasShown extends MemoryReceiptRepository {
  override add(receipts: readonly NewReceipt[], maxUsers: number): readonly boolean[] {
    return super.add(
      receipts.map((each) => ({ ...each, isShown: false })),
      maxUsers,
    );
  }
}
class HasNoBound extends MemoryReceiptRepository {
  override add(receipts: readonly NewReceipt[]): readonly boolean[] {
    return super.add(receipts, Infinity);
  }
}
class BoundsWhatItLearns extends MemoryReceiptRepository {
  override add(receipts: readonly NewReceipt[], maxUsers: number): readonly boolean[] {
    const isFull = ({ appId, receipt }: NewReceipt) => super.find(appId, receipt, maxUsers + 1).length >= maxUsers;
    return receipts.map((each) => !isFull(each) && super.add([each], maxUsers)[0]!);
  }
}
class RepeatsTheLastUser extends MemoryReceiptRepository {
  override find(appId: string, receipt: string, limit: number, after = ''): readonly UserReceipt[] {
    return super.find(appId, receipt, 1e9).filter(({ userId }, i) => i < limit && userId >= after);
  }
}
class MixesApps extends MemoryReceiptRepository {
  override add(receipts: readonly NewReceipt[], maxUsers: number): readonly boolean[] {
    return super.add(
      receipts.map((each) => ({ ...each, appId: 'same' })),
      maxUsers,
    );
  }
  override find(_: string, ...rest: [string, number, string?]): readonly UserReceipt[] {
    return super.find('same', ...rest);
  }
}
class MixesEvents extends MemoryReceiptRepository {
  override add(receipts: readonly NewReceipt[], maxUsers: number): readonly boolean[] {
    return super.add(
      receipts.map((each) => ({ ...each, receipt: receipts[0]!.receipt })),
      maxUsers,
    );
  }
}
class LooksBeforeItAdds extends MemoryReceiptRepository {
  override add(receipts: readonly NewReceipt[], maxUsers: number): any {
    const news = receipts.map(
      ({ appId, receipt, userId, isShown }) =>
        isShown || !super.find(appId, receipt, 1e9).some((each) => each.userId === userId),
    );
    return Promise.resolve().then(() => (super.add(receipts, maxUsers), news));
  }
}
class NeverForgets extends MemoryReceiptRepository {
  override add(receipts: readonly NewReceipt[], maxUsers: number): readonly boolean[] {
    return super.add(
      receipts.map((each) => ({ ...each, keepMs: 1e9 })),
      maxUsers,
    );
  }
}

describe('the contract of ReceiptRepository rejects an implementation that', () => {
  it.concurrent.each([
    [KeepsTheLast, 'keeps when a user first received an event, and first showed it'],
    [ForgetsWhatWasShown, 'knows that a user who has shown an event has received it'],
    [HasNoBound, 'keeps no more users of an event than are allowed, and learns more of those that it has'],
    [BoundsWhatItLearns, 'keeps no more users of an event than are allowed, and learns more of those that it has'],
    [RepeatsTheLastUser, 'answers users in pages, ordered by their ids'],
    [MixesApps, 'isolates receipts by app and event, in one call too'],
    [MixesEvents, 'isolates receipts by app and event, in one call too'],
    [LooksBeforeItAdds, 'calls a receipt news to only one of many concurrent callers'],
    [NeverForgets, 'forgets an event when its time is over'],
  ])('%o: %s', async (Broken, promise) => {
    expect(await brokenPromises(describeReceiptRepository, () => new Broken())).toContain(promise);
  });
});
