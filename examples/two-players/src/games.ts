import { Body, Injectable } from '@nestjs/common';
import { IsInt, Max, Min } from 'class-validator';
import { ChannelAuthorizer, type ChannelMember, ChannelName, CurrentUser, RequestBody } from 'rookery/authorization';
import { ChannelState, EventsService, OnRequest, type StateRequest } from 'rookery/channels';
import { begunAgain, type Board, emptyBoard, moved } from './board.js';

const kept = 1000;

export class MoveDto {
  @IsInt()
  @Min(0)
  @Max(8)
  readonly field!: number;
}

/** The games in progress, each with a channel. Yours are in a database. */
@Injectable()
export class Games {
  private readonly boards = new Map<string, Board>();

  constructor(private readonly events: EventsService) {}

  /** Anyone may watch and play, under any name. Yours asks your login who this is. */
  @ChannelAuthorizer('presence-game.{id}')
  enter(@Body('name') name: unknown): ChannelMember | false {
    return typeof name === 'string' && name !== '' && name.length <= 40 && { id: name };
  }

  /** What a page shows first, and after each reconnect. */
  @ChannelState('presence-game.{id}')
  board({ channel }: StateRequest): Board {
    return this.boards.get(channel) ?? emptyBoard;
  }

  @OnRequest('presence-game.{id}', 'move')
  move(
    @ChannelName() channel: string,
    @CurrentUser('id') player: string,
    @RequestBody(MoveDto) { field }: MoveDto,
  ): Promise<Board> {
    return this.change(channel, (board) => moved(board, player, field));
  }

  @OnRequest('presence-game.{id}', 'again')
  again(@ChannelName() channel: string, @CurrentUser('id') player: string): Promise<Board> {
    return this.change(channel, (board) => begunAgain(board, player));
  }

  /** First the board, then its event: a page that subscribes in between gets both, and shows it once. */
  private async change(channel: string, change: (board: Board) => Board): Promise<Board> {
    const board = change(this.boards.get(channel) ?? emptyBoard);
    this.boards.delete(channel);
    this.boards.set(channel, board);
    for (const oldest of this.boards.keys()) {
      if (this.boards.size <= kept) break;
      this.boards.delete(oldest);
    }
    await this.events.trigger('games', { name: 'board', channel, data: { ...board } });
    return board;
  }
}
