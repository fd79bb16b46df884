import { Injectable, Module, type Type } from '@nestjs/common';
import { ChannelsModule, ChannelState, EventsService } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { testingApp } from '@rookery/testing';

/** A board after so many changes: cards by their names, each with the change that last wrote it. */
export interface Board {
  readonly changes: number;
  readonly cards: Readonly<Record<string, number>>;
}

/** A change, as its event reports it. */
export interface Change {
  readonly number: number;
  readonly card: string;
}

/** Stands for the database: keeps each state that ever was. */
@Injectable()
export class BoardTable {
  private readonly boards: Board[] = [{ changes: 0, cards: {} }];

  async write(card: string): Promise<Change> {
    const { changes, cards } = this.boards.at(-1)!;
    const number = changes + 1;
    this.boards.push({ changes: number, cards: { ...cards, [card]: number } });
    return { number, card };
  }

  async read(): Promise<Board> {
    return this.boards.at(-1)!;
  }

  async history(): Promise<readonly Board[]> {
    return this.boards;
  }
}

@Injectable()
export class BoardReader {
  constructor(protected readonly table: BoardTable) {}

  @ChannelState('board.{id}')
  async read(): Promise<Board> {
    return this.table.read();
  }
}

@Injectable()
export class BoardWriter {
  constructor(
    protected readonly table: BoardTable,
    protected readonly events: EventsService,
  ) {}

  /** Changes first, and triggers then. */
  async write(card: string): Promise<void> {
    const change = await this.table.write(card);
    await this.events.trigger(testingApp.id, { name: 'written', channel: 'board.1', data: change });
  }
}

/** A host with a board; the parts may be replaced by faulty ones. */
export function boardModule(
  reader: Type<BoardReader> = BoardReader,
  history: { readonly channels: string }[] = [],
): Type {
  @Module({
    imports: [PresenceModule.forRoot(), ChannelsModule.forRoot({ apps: [{ ...testingApp, history }] })],
    providers: [BoardTable, BoardWriter, { provide: BoardReader, useClass: reader }],
  })
  class HostModule {}
  return HostModule;
}
