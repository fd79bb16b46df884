import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Inject,
  type INestApplication,
  Injectable,
  Scope,
} from '@nestjs/common';
import { APP_GUARD, REQUEST } from '@nestjs/core';
import { afterEach, expect, it } from 'vitest';
import { AuthorizationModule, ChannelAuthorizer, type ChannelMember } from 'rookery/authorization';
import {
  type ChannelActivity,
  ChannelsModule,
  ClientEventAuthorizer,
  isRookeryRoute,
  type MemberActivity,
  OnChannelOccupied,
  OnMemberAdded,
  type SentClientEvent,
} from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { testApp } from '../support/channels-server.js';
import { createHost, listen } from '../support/embedding-host.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

/** It reads the request as it is created: for each request, and not without one. */
@Injectable({ scope: Scope.REQUEST })
class TenantGuard implements CanActivate {
  private readonly tenant: string | undefined;

  constructor(@Inject(REQUEST) { headers }: { readonly headers: Record<string, string> }) {
    this.tenant = headers['x-tenant'];
  }

  canActivate(context: ExecutionContext): boolean {
    return this.tenant === 'a' || isRookeryRoute(context);
  }
}

@Injectable()
class Log {
  readonly lines: { readonly call: number; readonly heard: string }[] = [];
}

@Controller('rooms')
class Rooms {
  private calls = 0;

  constructor(private readonly log: Log) {}

  @ChannelAuthorizer('presence-rooms.{id}')
  enter(): ChannelMember {
    return { id: 'ann' };
  }

  @OnChannelOccupied('presence-rooms.*')
  opened({ channel }: ChannelActivity): void {
    this.log.lines.push({ call: ++this.calls, heard: channel });
  }

  @OnMemberAdded('presence-rooms.*')
  came({ userId }: MemberActivity): void {
    this.log.lines.push({ call: ++this.calls, heard: userId });
  }

  @ClientEventAuthorizer('presence-rooms.{id}')
  mayMove({ event }: SentClientEvent): boolean {
    return event === 'client-move';
  }

  @Get()
  list(): string[] {
    return ['1'];
  }
}

let app: INestApplication;
const clients: SocketClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await app.close();
});

it('lets one controller authorize, listen and check client events', async () => {
  ({ app } = await createHost({
    imports: [
      PresenceModule.forRoot(),
      ChannelsModule.forRoot({ apps: [{ ...testApp, clientEvents: true }], webhooks: { holdMs: 1 } }),
      AuthorizationModule.forRoot({ useGlobalPrefix: true }),
    ],
    controllers: [Rooms],
    providers: [Log, { provide: APP_GUARD, useClass: TenantGuard }],
  }));
  const { port, url } = await listen(app);
  const enter = async () => {
    const client = await SocketClient.connect(port);
    clients.push(client);
    const answer = await fetch(`${url}/pusher/auth`, {
      method: 'POST',
      headers: { 'x-tenant': 'a' },
      body: new URLSearchParams({ socket_id: client.socketId, channel_name: 'presence-rooms.1' }),
    });
    const authorization = (await answer.json()) as { auth: string; channel_data: string };
    client.send({ event: 'pusher:subscribe', data: { channel: 'presence-rooms.1', ...authorization } });
    await client.next('pusher_internal:subscription_succeeded');
    return client;
  };
  const [ann, again] = [await enter(), await enter()];

  const { lines } = app.get(Log);
  await until(() => lines.length >= 2, 'the controller heard of the room and its member');
  // One instance hears all.
  expect(lines.map(({ call }) => call)).toEqual([1, 2]);
  expect(new Set(lines.map(({ heard }) => heard))).toEqual(new Set(['ann', 'presence-rooms.1']));

  ann.send({ event: 'client-shout', channel: 'presence-rooms.1', data: {} });
  expect(await ann.next('pusher:error')).toMatchObject({ data: { message: 'Client event rejected - not authorized' } });
  ann.send({ event: 'client-move', channel: 'presence-rooms.1', data: { x: 1 } });
  expect(await again.next('client-move')).toMatchObject({ data: '{"x":1}' });

  expect((await fetch(`${url}/rooms`)).status).toBe(403);
  expect((await fetch(`${url}/rooms`, { headers: { 'x-tenant': 'a' } })).status).toBe(200);
});
