import { describe } from 'vitest';
import { MemoryReceiptRepository } from 'rookery/channels';
import { describeReceiptRepository } from '@rookery/testing';
import { describeBrokenDoubles, eachWith } from './broken-doubles.js';

const inMemory = () => new MemoryReceiptRepository();

describe('MemoryReceiptRepository', () => {
  describeReceiptRepository(inMemory);
});

describeBrokenDoubles('ReceiptRepository', describeReceiptRepository, inMemory, (right, double) => ({
  'keeps when a user first received an event, and first showed it': [
    double('keeps the last', (last = new Map<string, number>()) => ({
      add(receipts, maxUsers) {
        for (const { userId, at } of receipts) last.set(userId, at);
        return right.add(receipts, maxUsers);
      },
      find: (...asked) => right.find(...asked).map((each) => ({ ...each, receivedAt: last.get(each.userId)! })),
    })),
  ],
  'knows that a user who has shown an event has received it': double('forgets what was shown', {
    add: (receipts, maxUsers) => right.add(eachWith(receipts, { isShown: false }), maxUsers),
  }),
  'keeps no more users of an event than are allowed, and learns more of those that it has': [
    double('has no bound', { add: (receipts) => right.add(receipts, Infinity) }),
    double('bounds what it learns', {
      add: (receipts, maxUsers) =>
        receipts.map((each) => {
          const isFull = right.find(each.appId, each.receipt, maxUsers + 1).length >= maxUsers;
          return !isFull && right.add([each], maxUsers)[0]!;
        }),
    }),
  ],
  'answers users in pages, ordered by their ids': double('repeats the last user', {
    find: (appId, receipt, limit, after = '') =>
      right.find(appId, receipt, 1e9).filter(({ userId }, i) => i < limit && userId >= after),
  }),
  'isolates receipts by app and event, in one call too': [
    double('mixes apps', {
      add: (receipts, maxUsers) => right.add(eachWith(receipts, { appId: 'same' }), maxUsers),
      find: (_, ...rest) => right.find('same', ...rest),
    }),
    double('mixes events', {
      add: (receipts, maxUsers) => right.add(eachWith(receipts, { receipt: receipts[0]!.receipt }), maxUsers),
    }),
  ],
  'calls a receipt news to only one of many concurrent callers': double('looks before it adds', {
    async add(receipts, maxUsers) {
      const news = receipts.map(
        ({ appId, receipt, userId, isShown }) =>
          isShown || !right.find(appId, receipt, 1e9).some((each) => each.userId === userId),
      );
      await Promise.resolve();
      right.add(receipts, maxUsers);
      return news;
    },
  }),
  'forgets an event when its time is over': double('never forgets', {
    add: (receipts, maxUsers) => right.add(eachWith(receipts, { keepMs: 1e9 }), maxUsers),
  }),
}));
