import { describe, expect, it } from 'vitest';
import { type Announcement, type AnnouncementChange, AnnouncementRepository } from 'rookery/channels';
import { describeAnnouncementRepository } from '@rookery/testing';
import { TypeOrmAnnouncementRepository } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { describeNode } from '../support/services.js';
import { brokenPromises } from './broken-promises.js';

describeDatabases('TypeOrmAnnouncementRepository', ({ database }) => {
  describeAnnouncementRepository(async () => {
    await database().execute('DELETE FROM rookery_announcements');
    return new TypeOrmAnnouncementRepository(database());
  });
});

class InMemory extends AnnouncementRepository {
  protected readonly kept = new Map<string, Announcement>();
  save(changes: readonly AnnouncementChange[]): void | Promise<void> {
    for (const { isThere, ...announcement } of changes) {
      if (isThere) this.kept.set(this.keyOf(announcement), announcement);
      else this.kept.delete(this.keyOf(announcement));
    }
  }
  all(): readonly Announcement[] {
    return [...this.kept.values()];
  }
  protected keyOf({ appId, channel, userId }: Announcement): string {
    return JSON.stringify([appId, channel, userId]);
  }
}

class NeverForgets extends InMemory {
  override save(changes: readonly AnnouncementChange[]): void {
    void super.save(changes.filter(({ isThere }) => isThere));
  }
}
class KeepsTheFirstInfo extends InMemory {
  override save(changes: readonly AnnouncementChange[]): void {
    void super.save(changes.filter((each) => !(each.isThere && this.kept.has(this.keyOf(each)))));
  }
}
class JoinsNames extends InMemory {
  protected override keyOf({ appId, channel, userId }: Announcement): string {
    return `${appId} ${channel} ${userId}`;
  }
}
class IgnoresCase extends InMemory {
  protected override keyOf(announcement: Announcement): string {
    return super.keyOf(announcement).toLowerCase();
  }
}
class LosesConcurrentChanges extends InMemory {
  override async save(changes: readonly AnnouncementChange[]): Promise<void> {
    const before = [...this.kept];
    await Promise.resolve();
    this.kept.clear();
    for (const [key, value] of before) this.kept.set(key, value);
    await super.save(changes);
  }
}

describeNode('the contract of AnnouncementRepository', () => {
  describe('is kept', () => {
    describeAnnouncementRepository(() => new InMemory());
  });

  it.each([
    [NeverForgets, 'keeps channels, members and users until they are gone'],
    [KeepsTheFirstInfo, 'may save the same again, and keeps the latest info'],
    [JoinsNames, 'keeps apps, channels and users apart, whatever their names'],
    [IgnoresCase, 'keeps apps, channels and users apart, whatever their names'],
    [LosesConcurrentChanges, 'saves concurrent changes of different subjects'],
  ])('rejects an implementation that %o: %s', async (Broken, promise) => {
    expect(await brokenPromises(describeAnnouncementRepository, () => new Broken())).toContain(promise);
  });
});
