import {
  type ArgumentsHost,
  Catch,
  ConflictException,
  type ExceptionFilter,
  ForbiddenException,
  GoneException,
  Injectable,
  Scope,
  UseFilters,
} from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { of } from 'rxjs';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { request, type RequestFailed } from '@rookery/client';
import { dataOf } from '@rookery/client/events';
import { RequestBody } from 'rookery/authorization';
import { OnRequest } from 'rookery/channels';
import { startGames } from './game-host.js';

class FieldTaken extends Error {}
class GameOver extends Error {}

/** A provider that filters need. */
@Injectable()
class Words {
  readonly taken = 'This field is taken';
}

@Catch(FieldTaken)
class TakenFilter implements ExceptionFilter {
  constructor(private readonly words: Words) {}

  catch(): ConflictException {
    return new ConflictException(this.words.taken);
  }
}

@Catch(GameOver)
class OverFilter implements ExceptionFilter {
  catch(error: GameOver): never {
    throw new GoneException(error.message);
  }
}

/** Answers in place of the method, with what the client asked. */
@Catch(RangeError)
class NearestFilter implements ExceptionFilter {
  catch(_: RangeError, host: ArgumentsHost) {
    const { body } = host.switchToHttp().getRequest<{ body: unknown }>();
    return of({ nearest: 8, asked: body });
  }
}

/** Says nothing: the error stands. */
@Catch(ForbiddenException)
@Injectable({ scope: Scope.REQUEST })
class SilentFilter implements ExceptionFilter {
  static seen = 0;

  catch(): void {
    SilentFilter.seen++;
  }
}

/** Of all routes: it would fail here, where there is no such response. */
@Catch()
class RouteFilter implements ExceptionFilter {
  static seen = 0;

  catch(_: unknown, host: ArgumentsHost): void {
    RouteFilter.seen++;
    host.switchToHttp().getResponse<{ status(code: number): { send(): void } }>().status(500).send();
  }
}

const thrown: Readonly<Record<string, () => Error>> = {
  taken: () => new FieldTaken(),
  over: () => new GameOver('The game is over'),
  far: () => new RangeError('too far'),
  forbidden: () => new ForbiddenException('Not your turn'),
  broken: () => new Error('the database is on fire'),
};

@Injectable()
@UseFilters(TakenFilter, new OverFilter(), SilentFilter)
class FilteredGames {
  @OnRequest('move')
  @UseFilters(NearestFilter)
  move(@RequestBody(dataOf<string>()) how: string): never {
    throw thrown[how]!();
  }

  @OnRequest('watch')
  watch(@RequestBody(dataOf<string>()) how: string): never {
    throw thrown[how]!();
  }
}

let host: Awaited<ReturnType<typeof startGames>>;
beforeAll(async () => {
  host = await startGames({}, [FilteredGames, Words, { provide: APP_FILTER, useClass: RouteFilter }]);
});
afterEach(() => host.disconnect());
afterAll(() => host.close());

const failure = (name: string, how: string): Promise<RequestFailed> =>
  request(host.connect('alice'), name, how).then(
    (reply) => Promise.reject(new Error(`a reply came: ${JSON.stringify(reply)}`)),
    (error: RequestFailed) => error,
  );

it('has filters of the class, with their dependencies, make an error of the client of what a method throws', async () => {
  expect(await failure('move', 'taken')).toMatchObject({ status: 409, message: 'This field is taken' });
  expect(await failure('watch', 'over')).toMatchObject({ status: 410, message: 'The game is over' });
});

it("has the method's own filter answer in its place, and no filter of another method", async () => {
  expect(await request(host.connect('alice'), 'move', 'far')).toEqual({ nearest: 8, asked: 'far' });
  expect(await failure('watch', 'far')).toMatchObject({ status: 500 });
});

it('keeps an error of which a filter says nothing', async () => {
  expect(await failure('move', 'forbidden')).toMatchObject({ status: 403, message: 'Not your turn' });
  expect(SilentFilter.seen).toBe(1);
});

it('runs no global filter: it would write to a response', async () => {
  const { status, message } = await failure('move', 'broken');
  const [, id] = /^Internal server error \((.{36})\)$/.exec(message) ?? [];
  expect(status).toBe(500);
  expect(host.lines.find(({ text }) => text.includes(id!))?.text).toContain('the database is on fire');
  expect(RouteFilter.seen).toBe(0);
});
