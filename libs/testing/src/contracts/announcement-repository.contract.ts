import type { Announcement, AnnouncementChange, AnnouncementRepository } from 'rookery/channels';
import { contract } from './contract.js';
import { same } from './assertions.js';

const news: Announcement = { appId: 'app', channel: 'news', userId: '' };
const alice: Announcement = { appId: 'app', channel: 'presence-a', userId: 'alice', userInfoJson: '{"name":"Alice"}' };
const online: Announcement = { appId: 'app', channel: '', userId: 'alice' };

const there = (announcement: Announcement): AnnouncementChange => ({ ...announcement, isThere: true });
const gone = (announcement: Announcement): AnnouncementChange => ({ ...announcement, isThere: false });

const byJson = (one: Announcement, other: Announcement): number =>
  JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;

async function keeps(announcements: AnnouncementRepository, ...expected: readonly Announcement[]): Promise<void> {
  same((await announcements.all()).toSorted(byJson), expected.toSorted(byJson));
}

/** The contract of every AnnouncementRepository that keeps something. */
export const describeAnnouncementRepository = contract<AnnouncementRepository>('AnnouncementRepository', [
  {
    promise: 'keeps channels, members and users until they are gone',
    async test(announcements) {
      await keeps(announcements);
      await announcements.save([news, alice, online].map(there));
      await keeps(announcements, news, alice, online);
      await announcements.save([gone(alice)]);
      await keeps(announcements, news, online);
      await announcements.save([gone(news), gone(online)]);
      await keeps(announcements);
    },
  },
  {
    promise: 'may save the same again, and keeps the latest info',
    async test(announcements) {
      const renamed = { ...alice, userInfoJson: '{"name":"Alice B."}' };
      for (const each of [alice, alice, renamed]) await announcements.save([there(each), gone(news)]);
      await keeps(announcements, renamed);
      for (let n = 0; n < 2; n++) await announcements.save([gone(alice)]);
      await keeps(announcements);
    },
  },
  {
    promise: 'keeps apps, channels and users apart, whatever their names',
    async test(announcements) {
      const names = ['a', 'a a', 'a,a', 'A', '"', "'", '\\', 'ü', '😀', '%'];
      const all = names.flatMap((appId) =>
        names.flatMap((channel) => ['', ...names].map((userId) => ({ appId, channel, userId }))),
      );
      await announcements.save(all.map(there));
      await keeps(announcements, ...all);
      const [first, ...others] = all;
      await announcements.save([gone(first!)]);
      await keeps(announcements, ...others);
    },
  },
  {
    promise: 'saves concurrent changes of different subjects',
    async test(announcements) {
      const all = Array.from({ length: 20 }, (_, n) => ({ ...news, channel: `news-${n}` }));
      await Promise.all(all.map((each) => announcements.save([there(each)])));
      await keeps(announcements, ...all);
    },
  },
]);
