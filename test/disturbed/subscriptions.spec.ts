import { afterEach, expect, it, vi } from 'vitest';
import { EventsService, UsersService } from 'rookery/internal/channels';
import { type Disturbance, survived } from './disturbed.js';
import { fakeTime } from './fake-time.js';
import { config, Page, rosterOf, ServedChannels, turns } from './served-channels.js';

// A fault between any two calls of shared state while clients subscribe, sign in, leave and return.

fakeTime();
afterEach(() => {
  vi.restoreAllMocks();
});

interface World {
  readonly served: ServedChannels;
  readonly page: Page;
}

async function world(disturbance: Disturbance, session?: string): Promise<World> {
  const served = await new ServedChannels().start(disturbance);
  return { served, page: new Page(served, session) };
}

const later = async (): Promise<void> => {
  for (let n = 0; n < 10; n++) {
    await turns(3);
    await vi.advanceTimersByTimeAsync(4000);
  }
};

/** A page that was closed comes back, and does the same again. */
const returns = (work: (of: World) => Promise<void>) => async (of: World) => {
  await turns(5);
  await vi.advanceTimersByTimeAsync(1000);
  if (!of.page.isConnected) await work(of);
  await later();
};

const room = 'presence-room';
const place = { scope: config.id, name: room };

/** What shared state has of the room in the end, and what webhooks and listeners were told. */
async function ended({ served }: World) {
  const members = served.presence.roster(place).members.map(({ userId }) => userId);
  const [count] = served.channels.subscriptionCounts(config.id, [room]);
  const told = [...served.told].toSorted();
  await served.stop();
  return { members: members.toSorted(), count, told };
}

/** What the page heard of events of a channel, and whether it was told of a gap. */
function eventsOf({ frames }: Page, channel: string) {
  const own = frames.filter((frame) => frame.channel === channel);
  const events = own.filter(({ event }) => event === 'happened').map(({ data }) => data);
  return { events, gaps: own.filter(({ event }) => event === 'rookery:gap').length };
}

/** Who is online, as the page knows it from its watchlist. */
function onlineOf({ frames }: Page): readonly string[] {
  const online = new Set<string>();
  for (const { event, data } of frames) {
    if (event !== 'pusher_internal:watchlist_events') continue;
    for (const { name, user_ids: ids } of (data as { events: { name: string; user_ids: string[] }[] }).events)
      for (const id of ids)
        if (name === 'online') online.add(id);
        else online.delete(id);
  }
  return [...online].toSorted();
}

const trigger = ({ served }: World, channel: string, data: string) =>
  served.get(EventsService).trigger(config.id, { name: 'happened', channel, data });

it('a member that subscribes, while another comes', async () => {
  const wrong = await survived<World>({
    world,
    work: ({ page }) => page.subscribe(room, 'ann'),
    other: async ({ served }) => {
      served.presence.join(place, { nodeId: 'other', connectionId: '2.1' }, { userId: 'bob' }, 10);
      const change = { userId: 'bob', isPresent: true, version: served.presence.roster(place).version };
      const data = JSON.stringify(JSON.stringify({ user_id: 'bob' }));
      const text = `{"event":"pusher_internal:member_added","channel":"${room}","data":${data}}`;
      served.broker.publish({ kind: 'event', appId: config.id, channel: room, text, change });
    },
    later,
    end: async (of) => ({ roster: rosterOf(of.page, room), ...(await ended(of)) }),
  });
  expect(wrong).toEqual([]);
});

it('a user that signs in, while a watched user does', async () => {
  const signin = ({ page }: World) => page.signin('ann', ['bob']);
  const wrong = await survived<World>({
    world,
    work: signin,
    other: async ({ served }) => {
      const bob = new Page(served);
      await bob.signin('bob');
    },
    later: returns(signin),
    end: async ({ served, page }) => {
      const ended = { online: onlineOf(page), isConnected: page.isConnected, told: [...served.told].toSorted() };
      await served.stop();
      return ended;
    },
  });
  expect(wrong).toEqual([]);
});

it('a member that unsubscribes, while another comes', async () => {
  const wrong = await survived<World>({
    world: async (disturbance) => {
      const made = await world(disturbance);
      await made.page.subscribe(room, 'ann');
      return made;
    },
    work: ({ page }) => page.unsubscribe(room),
    other: ({ served }) => new Page(served).subscribe(room, 'bob'),
    later,
    end: ended,
  });
  expect(wrong).toEqual([]);
});

it('a member that unsubscribes, and subscribes again on the same connection', async () => {
  const wrong = await survived<World>({
    world: async (disturbance) => {
      const made = await world(disturbance);
      await made.page.subscribe(room, 'ann');
      return made;
    },
    work: async ({ page }) => {
      await page.unsubscribe(room);
      await page.subscribe(room, 'ann');
    },
    later,
    end: async (of) => ({ isConnected: of.page.isConnected, ...(await ended(of)) }),
  });
  expect(wrong).toEqual([]);
});

/** A page whose first leave of shared state fails, and is repeated later. */
async function worldWithoutUndo(disturbance: Disturbance): Promise<World> {
  const made = await world(disturbance);
  await made.page.connect();
  vi.spyOn(made.served.presence, 'leave').mockImplementationOnce(() => {
    throw new Error('presence.leave fails');
  });
  return made;
}

it('a member whose subscription fails, as does its undo, and that subscribes again', async () => {
  const wrong = await survived<World>({
    world: worldWithoutUndo,
    work: ({ page }) => page.subscribe(room, 'ann'),
    later,
    end: async ({ served, page }) => {
      const ended = {
        isConnected: page.isConnected,
        members: served.presence.roster(place).members.map(({ userId }) => userId),
        count: served.channels.subscriptionCounts(config.id, [room])[0],
      };
      await served.stop();
      return ended;
    },
  });
  expect(wrong).toEqual([]);
});

it('a user whose sign-in fails, as does its undo, and that signs in again', async () => {
  const wrong = await survived<World>({
    world: worldWithoutUndo,
    work: ({ page }) => page.signin('ann'),
    later,
    end: async ({ served, page }) => {
      const isOnline = await served.get(UsersService).isOnline(config.id, 'ann');
      await served.stop();
      return { isConnected: page.isConnected, isOnline };
    },
  });
  expect(wrong).toEqual([]);
});

it('a member whose connection ends, and that comes back', async () => {
  const wrong = await survived<World>({
    world: async (disturbance) => {
      const made = await world(disturbance);
      await made.page.signin('ann');
      await made.page.subscribe(room, 'ann');
      return made;
    },
    work: async ({ page }) => {
      await page.leave();
      await page.signin('ann');
      await page.subscribe(room, 'ann');
    },
    later,
    end: async (of) => ({ roster: rosterOf(of.page, room), ...(await ended(of)) }),
  });
  expect(wrong).toEqual([]);
});

it('a page that leaves, and returns to what it missed, while an event is triggered', async () => {
  const wrong = await survived<World>({
    world: async (disturbance) => {
      const made = await world(disturbance, 'session-of-the-page');
      await made.page.subscribe('kept-news');
      await trigger(made, 'kept-news', 'one');
      await turns(5);
      await vi.advanceTimersByTimeAsync(1000);
      await turns(5);
      await made.page.leave();
      await trigger(made, 'kept-news', 'two');
      return made;
    },
    work: ({ page }) => page.subscribe('kept-news'),
    other: (of) => trigger(of, 'kept-news', 'three'),
    later: returns(({ page }) => page.subscribe('kept-news')),
    end: async (of) => {
      const ended = eventsOf(of.page, 'kept-news');
      await of.served.stop();
      return ended;
    },
  });
  expect(wrong).toEqual([]);
});
