import { ConflictException, ForbiddenException } from '@nestjs/common';

/** A game as pages get it. */
export interface Board {
  /** Grows with each change, so that a page never goes back to an older board. */
  readonly version: number;
  /** By rows; an empty text is a free field. */
  readonly fields: readonly string[];
  /** The names of the players, in the order of their first moves. */
  readonly players: readonly string[];
  /** The three fields that won. */
  readonly line: readonly number[];
}

export const emptyBoard: Board = { version: 0, fields: Array<string>(9).fill(''), players: [], line: [] };

const marks = ['✕', '◯'] as const;

const lines = [
  ...[0, 3, 6].map((first) => [first, first + 1, first + 2]),
  ...[0, 1, 2].map((first) => [first, first + 3, first + 6]),
  [0, 4, 8],
  [2, 4, 6],
];

const isOver = ({ fields, line }: Board): boolean => line.length > 0 || fields.every(Boolean);

/**
 * The first two who move are the players.
 * @throws ConflictException, ForbiddenException when the rules forbid the move
 */
export function moved(board: Board, player: string, field: number): Board {
  const turn = board.fields.filter(Boolean).length % 2;
  if (isOver(board)) throw new ConflictException('The game is over');
  const players = seated(board, player, turn);
  if (board.fields[field]) throw new ConflictException('This field is taken');
  const fields = board.fields.with(field, marks[turn]!);
  const line = lines.find((each) => each.every((of) => fields[of] === marks[turn])) ?? [];
  return { version: board.version + 1, fields, players, line };
}

/** @throws ConflictException, ForbiddenException for players only, after their game */
export function begunAgain(board: Board, player: string): Board {
  if (!board.players.includes(player)) throw new ForbiddenException('Only the players begin again');
  if (!isOver(board)) throw new ConflictException('The game goes on');
  return { ...emptyBoard, version: board.version + 1 };
}

function seated({ players }: Board, player: string, turn: number): readonly string[] {
  if (players[turn] === player) return players;
  if (players.length === 2 && !players.includes(player))
    throw new ForbiddenException(`${players.join(' and ')} are playing`);
  if (players.includes(player)) throw new ConflictException(`It is ${players[turn] ?? 'the second player'}'s turn`);
  return [...players, player];
}
