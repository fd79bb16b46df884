import { Injectable } from '@nestjs/common';
import { expect, it, vi } from 'vitest';
import { ChannelState, EventsService, MembersService, OnRequest } from 'rookery/internal/channels';
import { type Disturbance, survived } from './disturbed.js';
import { fakeTime } from './fake-time.js';
import { config, Page, ServedChannels, turns } from './served-channels.js';

// A fault between any two calls of shared state, or of the host's data, where features read, answer and update.

fakeTime();

const later = async (): Promise<void> => {
  for (let n = 0; n < 5; n++) {
    await turns(3);
    await vi.advanceTimersByTimeAsync(4000);
  }
};

/** The data of the host. */
class Orders {
  readonly open = new Set<string>(['one']);

  async read(): Promise<readonly string[]> {
    return [...this.open];
  }

  async add(order: string): Promise<void> {
    this.open.add(order);
  }
}

interface World {
  readonly served: ServedChannels;
  readonly page: Page;
  readonly orders: Orders;
  /** How often an order was added. */
  readonly added: string[];
}

async function world(disturbance: Disturbance, session?: string): Promise<World> {
  const orders = new Orders();
  const calls = disturbance.port('orders', orders, ['read', 'add']);
  const added: string[] = [];

  @Injectable()
  class Host {
    @ChannelState('orders')
    read(): Promise<readonly string[]> {
      return calls.read();
    }

    @OnRequest('add')
    async add(): Promise<string> {
      await calls.add('two');
      added.push('two');
      return 'added';
    }
  }
  const served = await new ServedChannels().start(disturbance, [Host]);
  return { served, page: new Page(served, session), orders, added };
}

it('the state of a channel, which changes meanwhile', async () => {
  const subscribe = ({ page }: World): Promise<void> => page.subscribe('orders');
  const wrong = await survived<World>({
    world,
    work: subscribe,
    other: async ({ served, orders }) => {
      orders.open.add('two');
      await served.get(EventsService).trigger(config.id, { name: 'added', channel: 'orders', data: 'two' });
    },
    later: async (of) => {
      await later();
      if (!of.page.isConnected) await subscribe(of);
      await later();
    },
    end: async ({ served, page, orders }) => {
      let shown = new Set<unknown>();
      for (const { event, channel, data } of page.frames) {
        if (channel !== 'orders') continue;
        if (event === 'rookery:state') shown = new Set((data as { state: string[] }).state);
        if (event === 'added') shown.add(data);
      }
      await served.stop();
      return { shown: [...shown], open: [...orders.open] };
    },
  });
  expect(wrong).toEqual([]);
});

it('a request, which the page repeats, is carried out once', async () => {
  const id = 'request-1';
  const ask = async ({ page }: World, again = false): Promise<void> => {
    await page.connect();
    const answered = page.next('rookery:reply');
    page.send('rookery:request', { id, name: 'add', data: null, again });
    await answered;
  };
  const wrong = await survived<World>({
    world: async (disturbance) => {
      const made = await world(disturbance, 'session-of-the-page');
      // Until then, a process before this one may have carried it out.
      await vi.advanceTimersByTimeAsync(130_000);
      await made.page.connect();
      return made;
    },
    work: (of) => ask(of),
    other: (of) => ask(of, true),
    later,
    end: async ({ served, page, added }) => {
      const replies = page.frames.filter(({ event }) => event === 'rookery:reply').map(({ data }) => data);
      await served.stop();
      const isDone = replies.some((reply) => (reply as { data?: unknown }).data === 'added');
      return { isTwice: added.length > 1, isWrong: isDone && added.length === 0 };
    },
  });
  expect(wrong).toEqual([]);
});

it('the info of a member, which a server updates', async () => {
  const room = 'presence-room';
  const wrong = await survived<World>({
    world: async (disturbance) => {
      const made = await world(disturbance);
      await made.page.subscribe(room, 'ann');
      return made;
    },
    work: ({ served }) => served.get(MembersService).update(config.id, room, 'ann', { name: 'Ann' }),
    later,
    end: async ({ served, page }) => {
      const latest = page.frames.findLast(
        ({ event, channel }) => event === 'pusher_internal:member_added' && channel === room,
      );
      const { members } = served.presence.roster({ scope: config.id, name: room });
      await served.stop();
      return { known: latest?.data, kept: members.map(({ userInfoJson }) => userInfoJson) };
    },
  });
  expect(wrong).toEqual([]);
});
