import { Injectable } from '@nestjs/common';
import { IsInt } from 'class-validator';
import { afterAll, afterEach, beforeAll, expect, expectTypeOf, it, vi } from 'vitest';
import { type RequestFailed, typed, typedRequest } from '@rookery/client';
import { dataOf, defineEvents, defineRequests } from '@rookery/client/events';
import { RequestBody } from 'rookery/authorization';
import { OnRequest } from 'rookery/channels';
import { startGames } from './game-host.js';

class MoveDto {
  @IsInt()
  readonly field!: number;
}

class BoardDto {
  @IsInt()
  readonly moves!: number;
}

const requests = defineRequests({
  move: { request: MoveDto, reply: BoardDto },
  today: { request: dataOf<null>(), reply: dataOf<{ readonly at: Date }>() },
});

const events = defineEvents({ 'private-game.{id}': { moved: dataOf<number>() } });

@Injectable()
class TypedGames {
  @OnRequest('private-game.{id}', 'move', requests.move)
  @OnRequest('move', requests.move)
  move(@RequestBody(requests.move.request) { field }: MoveDto): BoardDto {
    // As of a database, whose rows have no types.
    return (field === 0 ? { moves: 'none' } : { moves: field }) as BoardDto;
  }

  @OnRequest('today', requests.today)
  async today() {
    return { at: new Date(0) };
  }
}

let host: Awaited<ReturnType<typeof startGames>>;
beforeAll(async () => (host = await startGames({}, [TypedGames])));
afterEach(() => {
  host.disconnect();
  vi.unstubAllEnvs();
});
afterAll(() => host.close());

const request = typedRequest<typeof requests>();

it('gets the reply that was defined, as JSON has it', async () => {
  const alice = host.connect('alice');
  expect(await request(alice, 'move', { field: 4 })).toEqual({ moves: 4 });
  expect(await request(alice, 'today', null)).toEqual({ at: '1970-01-01T00:00:00.000Z' });
});

it('asks on the channels of a typed client', async () => {
  const game = typed<typeof events>(host.connect('alice')).subscribe('private-game.7');
  expect(await request(game, 'move', { field: 4 })).toEqual({ moves: 4 });
});

it('is refused a wrong reply in development, and the log names the fault', async () => {
  const error = await request(host.connect('alice'), 'move', { field: 0 }).catch((failed: RequestFailed) => failed);
  const [, id] = /^Internal server error \((.{36})\)$/.exec((error as RequestFailed).message) ?? [];
  const { text } = host.lines.find((line) => line.text.includes(id!))!;
  expect(text).toContain('TypedGames.move: Error: data.moves: moves must be an integer number');
});

it('gets it unchecked in production', async () => {
  vi.stubEnv('NODE_ENV', 'production');
  expect(await request(host.connect('alice'), 'move', { field: 0 })).toEqual({ moves: 'none' });
});

// Checked by the compiler alone: nothing of it runs.
export async function types(): Promise<void> {
  const alice = host.connect('alice');
  expectTypeOf(await request(alice, 'move', { field: 4 })).toEqualTypeOf<{ readonly moves: number }>();
  expectTypeOf(await request(alice, 'today', null)).toEqualTypeOf<{ readonly at: string }>();
  // @ts-expect-error no such request
  void request(alice, 'moved', { field: 4 });
  // @ts-expect-error a field is missing
  void request(alice, 'move', {});
  // @ts-expect-error the field is a number
  void request(alice, 'move', { field: '4' });
}

export class Wrong {
  // @ts-expect-error another reply
  @OnRequest('private-game.{id}', 'move', requests.move)
  move() {
    return { moves: 'none' };
  }

  // @ts-expect-error a promise of another reply
  @OnRequest('move', requests.move)
  async later() {
    return 7;
  }
}
