import { Injectable, Module } from '@nestjs/common';
import { ChannelsModule, EventsService, ReceiptsService } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { simulate, type SimulatedClient, type Simulation, testingApp } from '@rookery/testing';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { ReceiptPings } from '../../libs/channels/src/wings/receipts/receipt-pings.js';
import { ReceiptsPart } from '../../libs/channels/src/wings/receipts/receipts.part.js';

const channel = 'presence-room';

/** A host that wants to know who has received its events. */
@Injectable()
class Host {
  constructor(
    private readonly events: EventsService,
    private readonly receipts: ReceiptsService,
  ) {}

  async send(number: number): Promise<string> {
    const event = { name: 'message', channel, data: { number }, info: 'receipts' };
    const { channels } = await this.events.trigger(testingApp.id, event);
    return channels![channel]!.receipts!;
  }

  async users(receipt: string): Promise<readonly string[]> {
    const { receipts } = await this.receipts.find(await this.events.appOf(testingApp.id), receipt, { limit: 1000 });
    return receipts.map(({ user_id }) => user_id);
  }
}

@Module({
  imports: [
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [{ ...testingApp, history: [{ channels: channel, events: 1000, seconds: 120 }] }] }),
  ],
  providers: [Host],
})
class HostModule {}

/** Pages of users come, lose their connections and return, while events are sent; processes stall, and may die. */
const sending =
  (mayDie: boolean) =>
  async (world: Simulation): Promise<void> => {
    const pages = new Map<string, SimulatedClient>();
    const receipts: string[] = [];
    for (let turn = 0; turn < 20; turn++) {
      const chance = world.random.below(6);
      if (chance < 2) {
        const session = world.random.below(3) < 2;
        const user = `${session ? 'returning' : 'new'} ${pages.size + 1}`;
        const page = await world.client({ session });
        pages.set(user, page);
        await page.subscribe(channel, { id: user });
      } else if (chance < 4) world.pause(1 + world.random.below(3), '1 second');
      else if (mayDie) await world.failover(2 + world.random.below(2));
      // Some lose their connections while events are on their way.
      if (world.random.below(2) < 1) world.random.of([...pages.values(), undefined])?.breakOff();
      for (let n = 0; n < 3; n++) receipts.push(await world.get(Host, 1).send(receipts.length));
      await world.run(`${world.random.below(400)} ms`);
    }
    await world.settled();
    await world.run('5 seconds');
    for (const [number, receipt] of receipts.entries()) {
      const have = [...pages].filter(([, page]) =>
        page.received('message').some((data) => (data as { number: number }).number === number),
      );
      const users = have.map(([user]) => user);
      const noted = await world.get(Host, 1).users(receipt);
      for (const user of noted) expect(users, `who has event ${number}`).toContain(user);
      // A process that dies takes the answers with it that it has not stored yet. A client without a session that loses its
      // connection before it answers is not asked again.
      if (mayDie) continue;
      const returning = (all: readonly string[]) => all.filter((user) => user.startsWith('returning')).toSorted();
      expect(returning(noted), `who is known to have event ${number}`).toEqual(returning(users));
    }
  };

const failureOf = async (running: Promise<void>): Promise<string> =>
  running.then(
    () => 'nothing failed',
    (error: unknown) => (error as Error).message,
  );

afterEach(() => void vi.restoreAllMocks());

describe('who has received an event, under simulated faults', { timeout: 300_000 }, () => {
  it('is exactly known while clients lose their connections and processes stall', async () => {
    await simulate(HostModule, { seeds: inject('seeds') }, sending(false));
  });

  it('is never someone who has not, when processes die too', async () => {
    await simulate(HostModule, { seeds: inject('seeds') }, sending(true));
  });

  it('is found to be someone who has not, if users are noted once the event was sent', async () => {
    vi.spyOn(ReceiptPings.prototype, 'add').mockImplementation(function (
      this: any,
      { app, subscriptions },
      name,
      receipt,
    ) {
      const { userId } = subscriptions!.get(name)!.member!;
      (this.receipts as ReceiptsService).note(app, { channel: name, receipt, userId, isShown: false });
    });
    expect(await failureOf(simulate(HostModule, {}, sending(false)))).toMatch(/who has event \d+/);
  });

  it('is found to lack users, if those who get the event from the history are not asked', async () => {
    vi.spyOn(ReceiptsPart.prototype, 'enter').mockReturnValue(undefined);
    expect(await failureOf(simulate(HostModule, {}, sending(false)))).toMatch(/who is known to have event \d+/);
  });
});
