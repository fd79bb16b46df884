import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { ClientsService } from 'rookery/internal/channels';
import { NodeRpc } from '../../libs/channels/src/broker/node-rpc.js';
import { type Disturbance, survived } from './disturbed.js';
import { fakeTime } from './fake-time.js';
import { config, Page, ServedChannels } from './served-channels.js';

// A fault between any two messages while servers ask pages.

fakeTime();

interface World {
  readonly served: ServedChannels;
  /** The pages of ann, each with the number of its frames that it has read. */
  readonly pages: Map<Page, number>;
  readonly answers: Set<string>;
}

async function world(disturbance: Disturbance): Promise<World> {
  const served = await new ServedChannels().start(disturbance);
  const made = { served, pages: new Map<Page, number>(), answers: new Set<string>() };
  await open(made);
  return made;
}

async function open({ served, pages }: World): Promise<void> {
  const page = new Page(served);
  await page.signin('ann');
  pages.set(page, 0);
}

/** Each page answers with what it was asked. */
function answerAll({ pages }: World): void {
  for (const [page, read] of pages) {
    pages.set(page, page.frames.length);
    for (const { event, data } of page.frames.slice(read)) {
      if (event !== 'rookery:ask') continue;
      const { id, data: asked } = data as { id: string; data: unknown };
      page.send('rookery:answer', { id, data: asked });
    }
  }
}

/** Asks ann; meanwhile, her pages answer, and time passes. */
async function ask(of: World, data: string): Promise<void> {
  const timeoutMs = 1200;
  const asking = { isOver: false };
  const asked = of.served
    .get(ClientsService)
    .ask(config.id, 'ann', 'confirm', data, { timeoutMs })
    .finally(() => (asking.isOver = true));
  asked.catch(() => undefined);
  for (let turns = 1; !asking.isOver; turns++) {
    await turn();
    answerAll(of);
    if (turns % 30 === 0) await vi.advanceTimersByTimeAsync(100);
  }
  of.answers.add(String(await asked));
}

const waitingOf = (service: object): number => (Reflect.get(service, 'waiting') as ReadonlyMap<string, unknown>).size;

async function end({ served, answers }: World) {
  const ended = {
    answers: [...answers].toSorted(),
    // Nothing is kept of a question once it is over.
    waiting: [waitingOf(served.get(ClientsService)), waitingOf(served.get(NodeRpc))],
  };
  await served.stop();
  return ended;
}

const later = (): Promise<unknown> => vi.advanceTimersByTimeAsync(10_000);

it('a page that two callers ask', async () => {
  const wrong = await survived<World>({
    world,
    work: (of) => ask(of, 'one'),
    other: (of) => ask(of, 'two'),
    later,
    end,
  });
  expect(wrong).toEqual([]);
});

it('a user who is asked while their page closes, and another opens', async () => {
  const wrong = await survived<World>({
    world,
    work: (of) => ask(of, 'one'),
    other: async (of) => {
      const [page] = [...of.pages.keys()];
      of.pages.delete(page!);
      await page!.leave();
      await open(of);
    },
    later,
    end,
  });
  expect(wrong).toEqual([]);
});
