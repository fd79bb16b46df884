import { type CanActivate, type INestApplication, Injectable, UseGuards } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { AuthorizationModule, ChannelAuthorizer, ChannelsApp, UserAuthenticator } from 'rookery/authorization';
import { type App, ChannelsModule, ChannelState, type StateRequest } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { createHost, listen } from '../support/embedding-host.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

// Two apps of one host, whose channels and users have the same names. The host's methods hang for one of the apps.

const app = (id: string) => ({ id, key: `${id}-key`, secret: 'secret' });
const [hanging, other] = [app('hanging'), app('other')];

/** How many calls there may be at the same time. */
const concurrency = 4;
/** How many the hanging app asks for. */
const much = 3 * concurrency;

/** Whether calls of the hanging app hang. */
let isHanging = true;
/** Let those that hang end. */
const ends: (() => void)[] = [];

async function answered<T>(appId: string, answer: T): Promise<T> {
  if (isHanging && appId === hanging.id) await new Promise<void>((resolve) => ends.push(resolve));
  return answer;
}

@Injectable()
class Anyone implements CanActivate {
  canActivate = (): boolean => true;
}

@Injectable()
@UseGuards(Anyone)
class Methods {
  @ChannelState('board.{id}')
  board({ appId }: StateRequest): Promise<object> {
    return answered(appId, { cards: [] });
  }

  @ChannelAuthorizer('private-room.{id}', { app: '*' })
  room(@ChannelsApp() { id }: App): Promise<boolean> {
    return answered(id, true);
  }

  @UserAuthenticator({ app: '*' })
  user(): { readonly id: string } {
    return { id: 'alice' };
  }
}

let host: INestApplication;
let port: number;
const clients: SocketClient[] = [];

beforeAll(async () => {
  const { app: created } = await createHost({
    imports: [
      PresenceModule.forRoot(),
      ChannelsModule.forRoot({ apps: [hanging, other], states: { concurrency } }),
      AuthorizationModule.forRoot({ authorizeOnSubscribe: true, concurrency, timeoutMs: 60_000 }),
    ],
    providers: [Methods],
  });
  host = created;
  ({ port } = await listen(host));
});
beforeEach(() => {
  isHanging = true;
});
afterEach(async () => {
  isHanging = false;
  for (const client of clients.splice(0)) client.close();
  for (const end of ends.splice(0)) end();
  // The calls that waited for them follow.
  await new Promise(setImmediate);
});
afterAll(() => host.close());

/** Subscribes without a token, on a connection of its own. */
async function subscribe(to: typeof other, channel: string): Promise<SocketClient> {
  const client = await SocketClient.connect(port, to);
  clients.push(client);
  client.send({ event: 'pusher:subscribe', data: { channel } });
  return client;
}

/** Has the hanging app ask for more than there is. */
async function hang(channel: (n: number) => string): Promise<void> {
  for (let n = 0; n < much; n++) await subscribe(hanging, channel(n));
  await until(() => ends.length >= concurrency, 'the calls hang');
}

const authorize = ({ key }: typeof other): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/pusher/auth`, {
    method: 'POST',
    body: new URLSearchParams({ app_key: key, socket_id: '1.1', channel_name: 'private-room.1' }),
  });

it('reads the states of an app while those of another hang', async () => {
  await hang((n) => `board.${n}`);
  for (let n = 0; n < 3; n++) {
    const client = await subscribe(other, `board.${n}`);
    expect((await client.next('rookery:state')).data).toBe('{"state":{"cards":[]}}');
  }
  expect(ends).toHaveLength(concurrency);
});

it('authorizes on the sockets of an app while the methods hang for another, and on its requests', async () => {
  await hang(() => 'private-room.1');
  for (let n = 0; n < 3; n++) {
    const client = await subscribe(other, 'private-room.1');
    await client.next('pusher_internal:subscription_succeeded');
    expect((await authorize(other)).status).toBe(200);
  }
  expect((await authorize(hanging)).status).toBe(503);
  expect(ends).toHaveLength(concurrency);
});

it('calls no method for a socket that was closed while it waited', async () => {
  await hang(() => 'private-room.1');
  for (const client of clients) client.close();
  await Promise.all(clients.map((client) => client.closing()));
  const last = await subscribe(hanging, 'private-room.1');
  for (const end of ends.splice(0)) end();
  await until(() => ends.length > 0, 'the method is called for the last');
  for (const end of ends.splice(0)) end();
  await last.next('pusher_internal:subscription_succeeded');
  expect(ends).toEqual([]);
});
