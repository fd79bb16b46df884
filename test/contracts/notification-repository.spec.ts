import { expect, it } from 'vitest';
import type { ClaimedJob } from 'rookery/jobs';
import {
  type FeedCursor,
  MemoryNotificationRepository,
  type NewNotification,
  notificationJob,
  type NotificationPublish,
  type Withdraws,
} from 'rookery/notifications';
import { MemoryPublishOutbox, publishOf } from 'rookery/publish';
import { describeNotificationRepository, type NotificationStores } from '@rookery/testing';
import { TypeOrmNotificationRepository, TypeOrmPublishOutbox } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { brokenPromises } from './broken-promises.js';
import { describeNode } from '../support/services.js';

const failure = () => new TypeError('the outbox is full');
class FailingMemoryOutbox extends MemoryPublishOutbox {
  override add(): never {
    throw failure();
  }
}
class FailingTypeOrmOutbox extends TypeOrmPublishOutbox {
  override adding(): never {
    throw failure();
  }
}

const inMemory = (notifications: MemoryNotificationRepository): NotificationStores => ({
  notifications,
  publishes: new MemoryPublishOutbox(),
  failing: new FailingMemoryOutbox(),
});

describeNode('MemoryNotificationRepository', () => {
  describeNotificationRepository(() => inMemory(new MemoryNotificationRepository()));
});

describeDatabases('TypeOrmNotificationRepository', ({ database }) => {
  describeNotificationRepository(async () => {
    for (const table of ['rookery_notifications', 'rookery_jobs', 'rookery_publishes'])
      await database().execute(`DELETE FROM ${table}`);
    return {
      notifications: new TypeOrmNotificationRepository(database()),
      publishes: new TypeOrmPublishOutbox(database()),
      failing: new FailingTypeOrmOutbox(database()),
    };
  });

  it('suggests what to write if publishes are stored elsewhere', async () => {
    const notifications = new TypeOrmNotificationRepository(database());
    const id = crypto.randomUUID();
    const event = { name: 'a', data: '1' };
    await notifications.add([{ id, appId: 'elsewhere', userId: 'a', event, createdAt: 1, pushAt: 1 }], 'never');
    const claim = { id: 'claim', now: 1, limit: 100, perKey: 1, busy: new Set<string>(), leaseMs: 1000 };
    const [job] = (await notifications.jobs.claim(claim)) as [ClaimedJob];
    const publish = publishOf('instance', { users: ['a'], fcm: {} }, 1);
    const push = notifications.push(job, 1, Infinity, { publish, outbox: new MemoryPublishOutbox() });
    await expect(push).rejects.toThrow('publishOutbox: TypeOrmPublishOutbox');
    expect(await notifications.find('elsewhere', id)).not.toHaveProperty('pushedAt');
  });
});

const without = (all: readonly NewNotification[], field: keyof NewNotification): readonly NewNotification[] =>
  all.map((one) => ({ ...one, [field]: undefined }));

class ForgetsThePush extends MemoryNotificationRepository {
  override add(all: readonly NewNotification[], withdraws: Withdraws) {
    return super.add(without(all, 'push'), withdraws);
  }
}
class ShowsToAll extends MemoryNotificationRepository {
  override async find(_appId: string, id: string) {
    return (await super.find('app', id)) ?? super.find('other', id);
  }
}
class ReplacesNothing extends MemoryNotificationRepository {
  override add(all: readonly NewNotification[], withdraws: Withdraws) {
    return super.add(without(all, 'collapseKey'), withdraws);
  }
}
class NeverWithdraws extends MemoryNotificationRepository {
  override read(appId: string, id: string, now: number) {
    return super.read(appId, id, now, 'never');
  }
  override add(all: readonly NewNotification[]) {
    return super.add(all, 'never');
  }
}
class HasNoFence extends MemoryNotificationRepository {
  override async push(_job: ClaimedJob, _now: number, _perHour: number, { publish, outbox }: NotificationPublish) {
    await outbox.add(publish);
    return 'pushed' as const;
  }
}
class WithdrawsOnlyPushedOnes extends MemoryNotificationRepository {
  override read(appId: string, id: string, now: number, withdraws: Withdraws) {
    return super.read(appId, id, now, withdraws === 'always' ? 'pushed' : withdraws);
  }
}
class WithdrawsAll extends MemoryNotificationRepository {
  override async readAll(appId: string, userId: string, now: number, limit: number, withdraws: Withdraws) {
    const read: string[] = [];
    for (const { id } of await this.feed(appId, userId, limit, undefined, true)) {
      await this.read(appId, id, now, withdraws);
      read.push(id);
    }
    return read;
  }
}
class PublishesNoNumber extends MemoryNotificationRepository {
  override push(job: ClaimedJob, now: number, perHour: number, { publish, outbox }: NotificationPublish) {
    return super.push(job, now, perHour, { publish, outbox });
  }
}
class CountsForAllApps extends MemoryNotificationRepository {
  override withdraw(job: ClaimedJob, { badge, ...publish }: NotificationPublish) {
    const add: typeof badge = badge && { ...badge, add: (of, unread) => badge.add(of, unread + 1) };
    return super.withdraw(job, { ...publish, badge: add });
  }
}
class LeavesOtherWithdrawals extends MemoryNotificationRepository {
  override withdraw(job: ClaimedJob, publish: NotificationPublish) {
    return super.withdraw(job, publish);
  }
}
class WithdrawsForTheLoser extends MemoryNotificationRepository {
  override async withdraw(job: ClaimedJob, publish: NotificationPublish, others: readonly string[] = []) {
    this.jobs.forget(job.key, new Set(others));
    return super.withdraw(job, publish);
  }
}
class MissesAWithdrawal extends MemoryNotificationRepository {
  override async withdrawals(job: ClaimedJob, limit: number) {
    return (await super.withdrawals(job, limit)).slice(1);
  }
}
class DeletesWithoutTakingBack extends MemoryNotificationRepository {
  override delete(appId: string, id: string, now: number) {
    return super.delete(appId, id, now, 'never');
  }
}
class OnlyHidesDeletedOnes extends MemoryNotificationRepository {
  override async delete(appId: string, id: string, now: number, withdraws: Withdraws) {
    return this.read(appId, id, now, withdraws);
  }
}
class LeavesTheJobOfADeletedOne extends MemoryNotificationRepository {
  override async delete(appId: string, id: string, now: number, withdraws: Withdraws) {
    const record = await this.find(appId, id);
    const deleted = await super.delete(appId, id, now, withdraws);
    if (record?.pushAt !== undefined) await this.jobs.add([notificationJob(record, record.pushAt)]);
    return deleted;
  }
}
class DeletesForAllTime extends MemoryNotificationRepository {
  override deleteAll(appId: string, userId: string, _now: number, limit: number, withdraws: Withdraws) {
    return super.deleteAll(appId, userId, Infinity, limit, withdraws);
  }
}
class AddsOnlyTheFirstHundred extends MemoryNotificationRepository {
  override add(all: readonly NewNotification[], withdraws: Withdraws) {
    return super.add(all.slice(0, 100), withdraws);
  }
}
class ReplacesOnlyTheFirstUsersOnes extends MemoryNotificationRepository {
  override async add(all: readonly NewNotification[], withdraws: Withdraws) {
    const replaced = await super.add(all.slice(0, 1), withdraws);
    for (const { collapseKey: _, ...one } of all.slice(1)) await super.add([one], withdraws);
    return replaced;
  }
}
class HasNoLimit extends MemoryNotificationRepository {
  override push(job: ClaimedJob, now: number, _perHour: number, publish: NotificationPublish) {
    return super.push(job, now, Infinity, publish);
  }
}
class PublishesFirst extends MemoryNotificationRepository {
  override async push(job: ClaimedJob, now: number, perHour: number, { publish, outbox }: NotificationPublish) {
    await Promise.resolve(publish)
      .then((added) => outbox.add(added))
      .catch(() => undefined);
    return super.push(job, now, perHour, { publish, outbox: new MemoryPublishOutbox() });
  }
}
class ReadsAgain extends MemoryNotificationRepository {
  override async read(appId: string, id: string, now: number, withdraws: Withdraws) {
    const read = await super.read(appId, id, now, withdraws);
    return read && { ...read, isFirst: true };
  }
}
class PagesWithDoubles extends MemoryNotificationRepository {
  override feed(appId: string, userId: string, limit: number, before?: FeedCursor) {
    return super.feed(appId, userId, limit, before && { ...before, id: `${before.id}~` });
  }
}
class ListsOnlyCurrentOnes extends MemoryNotificationRepository {
  override async latest(appId: string, limit: number, before?: FeedCursor) {
    return (await super.latest(appId, limit, before)).filter(({ withdrawnAt }) => withdrawnAt === undefined);
  }
}
class ListsOfAllApps extends MemoryNotificationRepository {
  override async latest(appId: string, limit: number, before?: FeedCursor) {
    return [...(await super.latest('other', limit, before)), ...(await super.latest(appId, limit, before))];
  }
}
class NeverMakesDue extends MemoryNotificationRepository {
  override add(all: readonly NewNotification[], withdraws: Withdraws) {
    return super.add(without(all, 'pushAt'), withdraws);
  }
}
class ShowsLate extends MemoryNotificationRepository {
  override async shown(): Promise<void> {}
}
class CountsAll extends MemoryNotificationRepository {
  override async unread(appId: string, userId: string) {
    return (await this.feed(appId, userId, 100)).length;
  }
}
class LeavesTheJobOfASkippedOne extends MemoryNotificationRepository {
  override async skip(job: ClaimedJob, now: number) {
    await super.skip(job, now);
    await this.jobs.add([job]);
  }
}
class SkipsWithdrawals extends MemoryNotificationRepository {
  override async find(appId: string, id: string) {
    const record = await super.find(appId, id);
    return record?.readAt === undefined ? record : { ...record, skippedAt: record.readAt };
  }
}

class ReadsAllOfAllTime extends MemoryNotificationRepository {
  override readAll(appId: string, userId: string, _now: number, limit: number, withdraws: Withdraws) {
    return super.readAll(appId, userId, Infinity, limit, withdraws);
  }
}
class ReadsAllTwice extends MemoryNotificationRepository {
  override async readAll(appId: string, userId: string, now: number, limit: number, withdraws: Withdraws) {
    const unread = await this.feed(appId, userId, limit, undefined, true);
    await Promise.resolve();
    await super.readAll(appId, userId, now, limit, withdraws);
    return unread.map(({ id }) => id);
  }
}
class ListsReadOnes extends MemoryNotificationRepository {
  override feed(appId: string, userId: string, limit: number, before?: FeedCursor) {
    return super.feed(appId, userId, limit, before);
  }
}

describeNode('the contract of NotificationRepository', () => {
  it.each([
    [ForgetsThePush, 'answers a notification as it was added, only to its app'],
    [ShowsToAll, 'answers a notification as it was added, only to its app'],
    [NeverMakesDue, 'has a job of its app for each notification to be pushed, when that is due'],
    [ReplacesNothing, 'withdraws only unread notifications of the same key and user when a newer one is added'],
    [NeverWithdraws, 'withdraws a pushed notification soon after it is read, if requested'],
    [
      HasNoFence,
      'neither publishes nor records a notification that another worker took over, or that was shown or read',
    ],
    [
      PublishesFirst,
      'neither publishes nor records a notification that another worker took over, or that was shown or read',
    ],
    [PublishesFirst, 'changes nothing if publishing fails'],
    [
      WithdrawsOnlyPushedOnes,
      'tells devices of a new number of unread ones once when none of those read was pushed, if always requested',
    ],
    [
      WithdrawsAll,
      'tells devices of a new number of unread ones once when none of those read was pushed, if always requested',
    ],
    [
      PublishesNoNumber,
      'publishes pushes and withdrawals with the number that is unread in their transaction, if requested',
    ],
    [
      CountsForAllApps,
      'publishes pushes and withdrawals with the number that is unread in their transaction, if requested',
    ],
    [LeavesOtherWithdrawals, 'withdraws several notifications of a user by one publish, and no others'],
    [WithdrawsForTheLoser, 'withdraws several notifications of a user by one publish, and no others'],
    [MissesAWithdrawal, 'withdraws several notifications of a user by one publish, and no others'],
    [
      DeletesWithoutTakingBack,
      'deletes a notification of any state once, only for its app, and takes back what was pushed',
    ],
    [
      OnlyHidesDeletedOnes,
      'deletes a notification of any state once, only for its app, and takes back what was pushed',
    ],
    [
      LeavesTheJobOfADeletedOne,
      'deletes a notification of any state once, only for its app, and takes back what was pushed',
    ],
    [
      LeavesTheJobOfADeletedOne,
      'never pushes a notification that was deleted meanwhile, and only ends the job of a deleted one',
    ],
    [DeletesForAllTime, 'deletes the notifications of a user together, up to a time and a number, each once'],
    [AddsOnlyTheFirstHundred, 'adds one for each of many users, with a job each, and replaces those of the same key'],
    [
      ReplacesOnlyTheFirstUsersOnes,
      'keeps one for each of several users of several concurrent notifications with the same key',
    ],
    [HasNoLimit, 'limits the pushes to a user within an hour'],
    [ReadsAgain, 'marks a notification as read once, and withdraws it'],
    [ReadsAllOfAllTime, 'marks the unread notifications of a user as read together, up to a time and a number'],
    [ReadsAllTwice, 'marks each notification as read once when all are marked concurrently'],
    [ListsReadOnes, 'lists only unread notifications if requested'],
    [
      ListsOnlyCurrentOnes,
      'lists an app’s notifications from the newest on, page by page, each once, with replaced ones',
    ],
    [ListsOfAllApps, 'lists an app’s notifications from the newest on, page by page, each once, with replaced ones'],
    [
      PagesWithDoubles,
      'lists a user’s notifications from the newest on, page by page, each once, without replaced ones',
    ],
    [NeverMakesDue, 'pushes once, and records the publish'],
    [ShowsLate, 'records when it was first shown, only for its own app'],
    [CountsAll, 'counts the unread notifications of a user in an app'],
    [LeavesTheJobOfASkippedOne, 'never makes a skipped notification due again'],
    [SkipsWithdrawals, 'only ends the job when the withdrawal of a pushed notification is skipped'],
  ])('rejects an implementation that %o: %s', async (Broken, promise) => {
    expect(await brokenPromises(describeNotificationRepository, () => inMemory(new Broken()), promise)).toContain(
      promise,
    );
  });
});
