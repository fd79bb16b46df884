import { type Announcement, type AnnouncementChange, AnnouncementRepository } from 'rookery/channels';
import { describeAnnouncementRepository } from '@rookery/testing';
import { TypeOrmAnnouncementRepository } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { describeNode } from '../support/services.js';
import { describeBrokenDoubles } from './broken-doubles.js';

describeDatabases('TypeOrmAnnouncementRepository', ({ database }) => {
  describeAnnouncementRepository(async () => {
    await database().execute('DELETE FROM rookery_announcements');
    return new TypeOrmAnnouncementRepository(database());
  });
});

class MemoryAnnouncementRepository extends AnnouncementRepository {
  readonly kept = new Map<string, Announcement>();
  save(changes: readonly AnnouncementChange[]): void | Promise<void> {
    for (const { isThere, ...announcement } of changes) {
      if (isThere) this.kept.set(this.keyOf(announcement), announcement);
      else this.kept.delete(this.keyOf(announcement));
    }
  }
  all(): readonly Announcement[] {
    return [...this.kept.values()];
  }
  keyOf({ appId, channel, userId }: Announcement): string {
    return JSON.stringify([appId, channel, userId]);
  }
}

const inMemory = () => new MemoryAnnouncementRepository();

describeNode('MemoryAnnouncementRepository', () => {
  describeAnnouncementRepository(inMemory);
});

describeBrokenDoubles('AnnouncementRepository', describeAnnouncementRepository, inMemory, (right, double) => ({
  'keeps channels, members and users until they are gone': double('never forgets', {
    save: (changes) => right.save(changes.filter(({ isThere }) => isThere)),
  }),
  'may save the same again, and keeps the latest info': double('keeps the first info', {
    save: (changes) => right.save(changes.filter((each) => !(each.isThere && right.kept.has(right.keyOf(each))))),
  }),
  'keeps apps, channels and users apart, whatever their names': [
    double('joins names', { keyOf: ({ appId, channel, userId }) => `${appId} ${channel} ${userId}` }),
    double('ignores case', { keyOf: (announcement) => right.keyOf(announcement).toLowerCase() }),
  ],
  'saves concurrent changes of different subjects': double('loses concurrent changes', {
    async save(changes) {
      const before = [...right.kept];
      await Promise.resolve();
      right.kept.clear();
      for (const [key, value] of before) right.kept.set(key, value);
      await right.save(changes);
    },
  }),
}));
