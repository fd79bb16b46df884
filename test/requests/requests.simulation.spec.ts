import { Injectable, Module, type Type } from '@nestjs/common';
import { RequestBody } from 'rookery/authorization';
import { ChannelsModule, OnRequest } from 'rookery/channels';
import { dataOf } from '@rookery/client/events';
import type { RequestFailed } from '@rookery/client';
import { PresenceModule } from 'rookery/presence';
import { simulate, type SimulatedClient, type Simulation, testingApp } from '@rookery/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RememberedReplies } from '../../libs/channels/src/wings/requests/remembered-replies.js';
import { SimulatedPage } from './simulated-page.js';

const seeds = 10;
const channel = 'private-game.1';

/** Stands for the database. */
@Injectable()
class Moves {
  private readonly made: number[] = [];

  async make(move: number): Promise<void> {
    this.made.push(move);
  }

  async all(): Promise<readonly number[]> {
    return this.made;
  }
}

@Injectable()
class Game {
  constructor(private readonly moves: Moves) {}

  @OnRequest('private-game.{id}', 'move')
  async move(@RequestBody(dataOf<number>()) move: number): Promise<number> {
    await this.moves.make(move);
    return move;
  }
}

function gameModule(): Type {
  const history = [{ channels: 'private-*' }];
  @Module({
    imports: [PresenceModule.forRoot(), ChannelsModule.forRoot({ apps: [{ ...testingApp, history }] })],
    providers: [Moves, Game],
  })
  class HostModule {}
  return HostModule;
}

/** How a move ended for its page. */
type Ending = 'replied' | RequestFailed['reason'];

/** Pages lose their connections and processes end while moves are under way. */
async function movesAndFaults(world: Simulation): Promise<void> {
  const pages: (readonly [SimulatedPage, SimulatedClient])[] = [];
  const endings = new Map<number, Ending>();
  let moves = 0;
  const move = (page: SimulatedPage): void => {
    const number = ++moves;
    void page.ask('move', number, channel, 60_000).then(
      (reply) => endings.set(number, reply === number ? 'replied' : 'unknown'),
      (error: RequestFailed) => endings.set(number, error.reason),
    );
  };
  const pass = async (turns: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) {
      for (const [page] of pages) page.look();
      await world.run('5 ms');
    }
  };
  for (let page = 0; page < 4; page++) {
    const client = await world.client({ session: page > 0 });
    pages.push([new SimulatedPage(client), client]);
    await client.subscribe(channel);
  }
  for (let turn = 0; turn < 12; turn++) {
    for (const [page] of pages) move(page);
    await pass(world.random.below(4));
    const fault = world.random.below(4);
    if (fault < 2) pages[world.random.below(pages.length)]![1].breakOff();
    else if (fault < 3) await world.failover();
    else world.pause(1 + world.random.below(3), '2 seconds');
    await pass(world.random.below(60));
  }
  // All wait for at most a minute, in the test's own time: the simulated one passes.
  for (let turn = 0; turn < 400 && endings.size < moves; turn++) await pass(50);
  const made = await world.get(Moves).all();
  const times = (number: number): number => made.filter((each) => each === number).length;
  for (let number = 1; number <= moves; number++) {
    const ending = endings.get(number);
    if (ending === undefined) throw new Error(`move ${number} was not settled`);
    if (times(number) > 1) throw new Error(`move ${number} was carried out ${times(number)} times`);
    if (ending === 'replied' && times(number) === 0)
      throw new Error(`move ${number} has a reply and was not carried out`);
  }
  counted.push([...endings.values()]);
}

/** The endings of all runs. */
const counted: Ending[][] = [];
afterEach(() => {
  vi.restoreAllMocks();
  counted.length = 0;
});

describe('requests, under simulated faults', { timeout: 300_000 }, () => {
  it('are settled, and carried out at most once', async () => {
    await simulate(gameModule(), { shared: [Moves], seeds }, movesAndFaults);
    const all = counted.flat();
    const share = (ending: Ending): number => all.filter((each) => each === ending).length / all.length;
    expect(share('replied')).toBeGreaterThan(0.8);
    expect(share('unknown')).toBeGreaterThan(0);
  });

  it('are found to be carried out twice if replies are not remembered', async () => {
    vi.spyOn(RememberedReplies.prototype, 'once').mockImplementation((_asking, _message, work) => work());
    const running = simulate(gameModule(), { shared: [Moves], seeds }, movesAndFaults);
    await expect(running).rejects.toThrow(/was carried out 2 times/);
  });
});
