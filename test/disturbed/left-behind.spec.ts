import { expect, it, vi } from 'vitest';
import { type Announcement, type AnnouncementChange, AnnouncementRepository } from 'rookery/internal/channels';
import { type Disturbance, survived } from './disturbed.js';
import { fakeTime } from './fake-time.js';
import { config, type HookEvent, Page, ServedChannels, turns } from './served-channels.js';

// A fault between any two calls while a process reports gone what one before it has left behind.

fakeTime();

const room = 'presence-room';
const place = { scope: config.id, name: room };
const returnMs = 30_000;
/** Why a lost answer is lost here. */
const again = 'the stores of several processes keep an answer that was lost for the next call; this one is of one';

const subject = ({ appId, channel, userId }: Announcement): string => `${appId} ${channel} ${userId}`;

/** What webhooks have reported, in the database. */
class Kept extends AnnouncementRepository {
  readonly subjects = new Map<string, Announcement>();

  async save(changes: readonly AnnouncementChange[]): Promise<void> {
    for (const { isThere, ...announcement } of changes)
      if (isThere) this.subjects.set(subject(announcement), announcement);
      else this.subjects.delete(subject(announcement));
  }

  async all(): Promise<readonly Announcement[]> {
    return [...this.subjects.values()];
  }
}

const left: readonly Announcement[] = [
  { appId: config.id, channel: 'news', userId: '' },
  { appId: config.id, channel: room, userId: '' },
  { appId: config.id, channel: room, userId: 'ann' },
  { appId: config.id, channel: room, userId: 'bob' },
  { appId: config.id, channel: '', userId: 'ann' },
  { appId: 'removed', channel: 'news', userId: '' },
];

interface World {
  readonly kept: Kept;
  readonly served: ServedChannels;
  readonly page: Page;
}

/** A process after one that was killed: bob has returned, and the one before has then reported him gone. */
async function world(disturbance: Disturbance): Promise<World> {
  const kept = new Kept();
  for (const each of left) kept.subjects.set(subject(each), each);
  const served = await new ServedChannels().start(disturbance, [], kept);
  const bob = new Page(served);
  await bob.subscribe(room, 'bob');
  await kept.save([{ appId: config.id, channel: room, userId: 'bob', isThere: false }]);
  return { kept, served, page: new Page(served) };
}

/** So many times so many seconds. */
const seconds = async (each: number, times: number): Promise<void> => {
  for (let n = 0; n < times; n++) {
    await turns(3);
    await vi.advanceTimersByTimeAsync(each * 1000);
  }
  await turns(3);
};

const isAppearance = ({ name }: HookEvent): boolean => /_(occupied|added|online)$/.test(name);

/** What the host believes to be there, by its webhooks. */
function believed(events: readonly HookEvent[]): readonly string[] {
  const there = new Set(left.filter(({ appId, userId }) => appId === config.id && userId !== 'bob').map(subject));
  for (const event of events) {
    const name = subject({ appId: config.id, channel: event.channel ?? '', userId: event.user_id ?? '' });
    if (isAppearance(event)) there.add(name);
    else there.delete(name);
  }
  return [...there].toSorted();
}

it('what has not returned, while a member does', async () => {
  const wrong = await survived<World>({
    world,
    work: async () => {
      await vi.advanceTimersByTimeAsync(returnMs);
      await seconds(1, 3);
    },
    other: ({ page }) => page.subscribe(room, 'ann'),
    later: () => seconds(10, 6),
    end: async ({ served, kept }) => {
      const ended = {
        members: served.presence
          .roster(place)
          .members.map(({ userId }) => userId)
          .toSorted(),
        counts: served.channels.subscriptionCounts(config.id, [room, 'news']),
        believed: believed(served.hookEvents),
        kept: [...kept.subjects.keys()].toSorted(),
        ofBob: served.hookEvents.filter(({ user_id: id }) => id === 'bob').map(({ name }) => name),
      };
      await served.stop();
      return ended;
    },
    except: { 'presence.takeOut, loses its answer': again, 'channels.takeOut, loses its answer': again },
  });
  expect(wrong).toEqual([]);
});

it('a process that is started again when its start fails', async () => {
  interface Starting {
    readonly disturbance: Disturbance;
    readonly kept: Kept;
    /** Of all processes. */
    readonly told: HookEvent[];
    served?: ServedChannels;
  }
  const wrong = await survived<Starting>({
    world: (disturbance) => {
      const kept = new Kept();
      for (const each of left) kept.subjects.set(subject(each), each);
      return { disturbance, kept, told: [] };
    },
    work: async (of) => {
      const served = new ServedChannels();
      try {
        await served.start(of.disturbance, [], of.kept);
        of.served = served;
      } catch (error) {
        of.told.push(...served.hookEvents);
        await served.stop();
        throw error;
      }
    },
    later: () => seconds(15, 6),
    end: async ({ served, kept, told }) => {
      await served!.stop();
      const ended = believed([...told, ...served!.hookEvents]);
      return { believed: ended, kept: [...kept.subjects.keys()] };
    },
  });
  expect(wrong).toEqual([]);
});
