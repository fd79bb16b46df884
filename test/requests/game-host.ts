import {
  BadRequestException,
  Body,
  type CanActivate,
  ConflictException,
  type DynamicModule,
  type ExecutionContext,
  type INestApplication,
  Injectable,
  ParseIntPipe,
  UseGuards,
} from '@nestjs/common';
import { IsInt, Max, Min } from 'class-validator';
import { concat, EMPTY, NEVER, of } from 'rxjs';
import { ChannelParam, CurrentUser, RequestBody } from 'rookery/authorization';
import { ChannelsModule, OnRequest } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import type { PusherClass } from '@rookery/client';
import Pusher from 'pusher';
import { createHost, listen } from '../support/embedding-host.js';
import { PusherJs } from '../support/pusher-js.js';
import { testApp } from '../support/test-app.js';

/** Where a player sets a stone. */
export class MoveDto {
  @IsInt()
  @Min(0)
  @Max(8)
  readonly field!: number;
}

/** What `@nestjs/websockets` throws. */
class WsException extends Error {
  getError(): string {
    return this.message;
  }
}

@Injectable()
class PlayersOnly implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { user } = context.switchToHttp().getRequest<{ user?: { id: string } }>();
    return user?.id !== 'spectator';
  }
}

/** A game of two players: moves are requests. */
@Injectable()
export class Games {
  moves: { game: number; player: string; field: number }[] = [];
  /** Until it resolves, `wait` does not reply. */
  gate: Promise<unknown> = Promise.resolve();
  waits = 0;

  @OnRequest('presence-game.{id}', 'move')
  @UseGuards(PlayersOnly)
  move(
    @ChannelParam('id', ParseIntPipe) game: number,
    @CurrentUser('id') player: string,
    @RequestBody(MoveDto) { field }: MoveDto,
  ) {
    if (this.moves.some((move) => move.game === game && move.field === field))
      throw new ConflictException('This field is taken');
    this.moves.push({ game, player, field });
    return { moves: this.moves.length };
  }

  @OnRequest('private-{room}', 'who')
  who(): string {
    return 'both players';
  }

  @OnRequest('echo')
  echo(@RequestBody(anything()) data: unknown): unknown {
    return data;
  }

  @OnRequest('picked')
  picked(@Body('field') field: unknown): unknown {
    return field;
  }

  @OnRequest('book')
  book(@RequestBody(anything()) length: number): string {
    return 'ä'.repeat(length);
  }

  @OnRequest('observed')
  observed() {
    return concat(of(1, 2), NEVER);
  }

  @OnRequest('observed-empty')
  observedEmpty() {
    return EMPTY;
  }

  @OnRequest('nothing')
  nothing(): void {}

  @OnRequest('wait')
  async wait(): Promise<string> {
    this.waits += 1;
    await this.gate;
    return 'done';
  }

  @OnRequest('fail')
  fail(@RequestBody(anything()) how: string): void {
    if (how === 'ws') throw new WsException('Not your turn');
    if (how === 'list') throw new BadRequestException(['a is wrong', 'b is wrong']);
    throw new Error('the database is on fire');
  }
}

function anything() {
  return { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const;
}

type Options = Partial<Parameters<typeof ChannelsModule.forRoot>[0]>;

/** A host with games, and pages of players. */
export async function startGames(
  options: Options = {},
  providers: Parameters<typeof createHost>[0]['providers'] = [Games],
  prepare: (app: INestApplication) => void = () => {},
  imports: readonly DynamicModule[] = [],
) {
  const { app, lines } = await createHost({
    imports: [PresenceModule.forRoot(), ChannelsModule.forRoot({ apps: [testApp], ...options }), ...imports],
    providers,
  });
  prepare(app);
  const { port } = await listen(app);
  const server = new Pusher({ appId: testApp.id, ...testApp, host: '127.0.0.1', port: String(port) });
  const clients: PusherJs[] = [];

  /** Stock pusher-js of a player. */
  function connect(player: string, Class: PusherClass | typeof PusherJs = PusherJs, more: object = {}): PusherJs {
    const client = new (Class as typeof PusherJs)(testApp.key, {
      cluster: '',
      wsHost: '127.0.0.1',
      wsPort: port,
      httpHost: '127.0.0.1',
      httpPort: port,
      forceTLS: false,
      enabledTransports: ['ws'],
      channelAuthorization: {
        endpoint: '',
        transport: 'ajax',
        customHandler: ({ socketId, channelName }, answer) =>
          answer(null, server.authorizeChannel(socketId, channelName, { user_id: player })),
      },
      userAuthentication: {
        endpoint: '',
        transport: 'ajax',
        customHandler: ({ socketId }, answer) => answer(null, server.authenticateUser(socketId, { id: player })),
      },
      ...more,
    });
    clients.push(client);
    return client;
  }
  return {
    app,
    port,
    lines,
    games: () => app.get(Games),
    connect,
    disconnect: () => clients.splice(0).forEach((client) => client.disconnect()),
    close: () => app.close(),
  };
}
