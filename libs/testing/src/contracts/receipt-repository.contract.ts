import type { NewReceipt, ReceiptRepository } from 'rookery/channels';
import { contract } from './contract.js';
import { same } from './assertions.js';
import { until } from '../until.js';

const many = 1000;

/** A receipt of Alice, that she received the event at 1000. */
const of = (part: Partial<NewReceipt> = {}): NewReceipt => ({
  appId: 'app',
  receipt: 'r'.repeat(43),
  userId: 'alice',
  isShown: false,
  at: 1000,
  keepMs: 60_000,
  ...part,
});

const usersOf = async (receipts: ReceiptRepository, part: Partial<NewReceipt> = {}) => {
  const { appId, receipt } = of(part);
  return (await receipts.find(appId, receipt, many)).map(({ userId }) => userId);
};

/** The contract of every ReceiptRepository. */
export const describeReceiptRepository = contract<ReceiptRepository>('ReceiptRepository', [
  {
    promise: 'keeps when a user first received an event, and first showed it',
    async test(receipts) {
      same(await receipts.add([of()], many), [true]);
      same(await receipts.add([of({ at: 2000 })], many), [false]);
      const { appId, receipt, userId } = of();
      same(await receipts.find(appId, receipt, many), [{ userId, receivedAt: 1000 }]);
      same(await receipts.add([of({ at: 3000, isShown: true })], many), [true]);
      same(await receipts.add([of({ at: 4000, isShown: true }), of({ at: 4000 })], many), [false, false]);
      same(await receipts.find(appId, receipt, many), [{ userId, receivedAt: 1000, shownAt: 3000 }]);
    },
  },
  {
    promise: 'knows that a user who has shown an event has received it',
    async test(receipts) {
      same(await receipts.add([of({ isShown: true }), of({ at: 2000 })], many), [true, false]);
      const { appId, receipt, userId } = of();
      same(await receipts.find(appId, receipt, many), [{ userId, receivedAt: 1000, shownAt: 1000 }]);
    },
  },
  {
    promise: 'keeps no more users of an event than are allowed, and learns more of those that it has',
    async test(receipts) {
      same(await receipts.add([of({ userId: 'a' }), of({ userId: 'b' }), of({ userId: 'c' })], 2), [true, true, false]);
      same(await receipts.add([of({ userId: 'd' }), of({ userId: 'a', isShown: true })], 2), [false, true]);
      same(await usersOf(receipts), ['a', 'b']);
      same(await receipts.add([of({ receipt: 's'.repeat(43) })], 2), [true]);
    },
  },
  {
    promise: 'answers users in pages, ordered by their ids',
    async test(receipts) {
      const ids = ['b', 'B', 'ü', 'a b', '10', '9', '"', 'x'.repeat(1000), '😀', '\uffee'];
      await receipts.add(
        ids.map((userId) => of({ userId })),
        many,
      );
      const { appId, receipt } = of();
      const found: string[] = [];
      for (let pages = 0; pages < ids.length; pages++)
        found.push(...(await receipts.find(appId, receipt, 3, found.at(-1))).map(({ userId }) => userId));
      same(found, ids.toSorted());
    },
  },
  {
    promise: 'isolates receipts by app and event, in one call too',
    async test(receipts) {
      const other = 's'.repeat(43);
      const all = [of(), of({ appId: 'app 2', userId: 'bob' }), of({ receipt: other, userId: 'carol' })];
      same(await receipts.add(all, many), [true, true, true]);
      same(await usersOf(receipts), ['alice']);
      same(await usersOf(receipts, { appId: 'app 2' }), ['bob']);
      same(await usersOf(receipts, { receipt: other }), ['carol']);
      same(await usersOf(receipts, { appId: 'app 2', receipt: other }), []);
    },
  },
  {
    promise: 'calls a receipt news to only one of many concurrent callers',
    async test(receipts) {
      const answers = await Promise.all(Array.from({ length: 20 }, async () => receipts.add([of()], many)));
      same(answers.filter(([isNews]) => isNews).length, 1);
    },
  },
  {
    promise: 'forgets an event when its time is over',
    async test(receipts) {
      await receipts.add([of({ keepMs: 50 }), of({ receipt: 's'.repeat(43) })], many);
      await until(async () => (await usersOf(receipts)).length === 0, 'it is forgotten', 3000);
      same(await usersOf(receipts, { receipt: 's'.repeat(43) }), ['alice']);
      same(await receipts.add([of()], many), [true]);
    },
  },
]);
