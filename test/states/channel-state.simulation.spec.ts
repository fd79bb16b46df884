import { Injectable } from '@nestjs/common';
import { simulate, type SimulatedClient, type Simulation } from '@rookery/testing';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { StateReads } from '../../libs/channels/src/wings/state/state-reads.js';
import { type Board, boardModule, BoardReader, BoardTable, BoardWriter, type Change } from './board.module.js';

const shared = [BoardTable];
/** The faults below are found by fewer. */
const seeds = 10;
const cards = ['a', 'b', 'c'];

/** The boards that a page shows: the state, and each later change applied to it. @throws Error for a missed change */
function shownBy({ events }: SimulatedClient): readonly Board[] {
  const shown: Board[] = [];
  for (const { event, data } of events) {
    if (event === 'rookery:state') shown.push((data as { readonly state: Board }).state);
    if (event !== 'written') continue;
    const { number, card } = data as Change;
    const board = shown.at(-1);
    if (!board) throw new Error(`change ${number} came before the state`);
    if (number <= board.changes) continue;
    if (number > board.changes + 1) throw new Error(`change ${number} came after ${board.changes}: one was missed`);
    shown.push({ changes: number, cards: { ...board.cards, [card]: number } });
  }
  return shown;
}

/** Pages come and go, processes end and stall, while the board is changed all the time. */
async function changesAndFaults(world: Simulation): Promise<void> {
  const pages: SimulatedClient[] = [];
  const open = async (): Promise<void> => {
    const page = await world.client({ session: world.random.below(2) < 1 });
    pages.push(page);
    await page.subscribe('board.1');
  };
  const faults = { areOver: false };
  // A process that dies between a change and its event would lose the event: this one stays.
  const writing = (async () => {
    while (!faults.areOver) {
      await world.get(BoardWriter, 1).write(world.random.of(cards));
      await world.run(`${1 + world.random.below(40)} ms`);
    }
  })();
  for (let turn = 0; turn < 12; turn++) {
    const fault = world.random.below(5);
    if (fault < 2) await open();
    else if (fault < 3) pages.at(-1)?.breakOff();
    else if (fault < 4) await world.failover(2 + world.random.below(2));
    else world.pause(2 + world.random.below(2), '2 seconds');
    await world.run('200 ms');
  }
  faults.areOver = true;
  await writing;
  await world.settled();
  await world.run('5 seconds');
  const boards = await world.get(BoardTable).history();
  for (const page of pages) {
    const shown = shownBy(page);
    for (const board of shown) expect(board).toEqual(boards[board.changes]);
    expect(shown.at(-1)).toEqual(boards.at(-1));
  }
}

const failureOf = async (running: Promise<void>): Promise<string> =>
  running.then(
    () => 'nothing failed',
    (error: unknown) => (error as Error).message,
  );

afterEach(() => void vi.restoreAllMocks());

describe('the state of a channel, under simulated faults', { timeout: 300_000 }, () => {
  it.each([
    ['without a history', []],
    ['with a history', [{ channels: 'board.*' }]],
  ])('is one that was, and followed by each change: %s', async (_, history) => {
    await simulate(boardModule(BoardReader, history), { shared, seeds: inject('seeds') }, changesAndFaults);
  });

  it('is found to lack changes if a read is shared after an event', async () => {
    vi.spyOn(StateReads.prototype, 'passed').mockReturnValue();
    expect(await failureOf(simulate(boardModule(), { shared, seeds }, changesAndFaults))).toMatch(/^Seed \d+ fails/);
  });

  it('is found to lack changes if events from before the read are taken to be in it that are not', async () => {
    vi.spyOn(StateReads.prototype, 'snapshot').mockImplementation(async (_, read) => ({
      texts: await read(),
      arrived: '~',
    }));
    expect(await failureOf(simulate(boardModule(), { shared, seeds }, changesAndFaults))).toMatch(/one was missed/);
  });

  it('is found to lack changes if the host remembers it in one process', async () => {
    @Injectable()
    class RememberingReader extends BoardReader {
      private remembered: Promise<Board> | undefined;

      override async read(): Promise<Board> {
        return (this.remembered ??= this.table.read());
      }
    }
    expect(await failureOf(simulate(boardModule(RememberingReader), { shared, seeds }, changesAndFaults))).toMatch(
      /^Seed \d+ fails/,
    );
  });
});
