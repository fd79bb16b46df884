import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { joined, PusherJs } from '../support/pusher-js.js';
import { until } from '../support/until.js';
import type { events } from './shop.js';

/** What users see of the shop (shop.ts), with the clients that are installed in `folder`. */
export async function expectShopStory(port: number, folder: string): Promise<void> {
  // By the path: the test runner resolves names by the condition `rookery-source`, whose files are not packed.
  const root = join(folder, 'node_modules/@rookery/client');
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, { default: string }>;
  };
  const installed = <T>(name: string): Promise<T> =>
    import(pathToFileURL(join(root, exports[name]!.default)).href) as Promise<T>;
  const { batchedAuthorization, typed } = await installed<typeof import('@rookery/client')>('.');
  const { channelsClient } = await installed<typeof import('@rookery/client/server')>('./server');
  const url = `http://127.0.0.1:${port}`;
  const headers = { authorization: 'Bearer alice' };
  const client = new PusherJs('key', {
    cluster: 'self',
    wsHost: '127.0.0.1',
    wsPort: port,
    forceTLS: false,
    enabledTransports: ['ws'],
    channelAuthorization: batchedAuthorization({ endpoint: `${url}/pusher/auth`, headers }),
    userAuthentication: { endpoint: `${url}/pusher/user-auth`, transport: 'ajax', headers },
  });
  try {
    await Promise.all([joined(client, 'private-orders.alice'), joined(client, 'presence-shop')]);
    await expect(joined(client, 'private-orders.bob')).rejects.toMatchObject({ type: 'AuthError' });
    const entered = async () => (await (await fetch(`${url}/entered`, { headers })).json()) as string[];
    await until(async () => (await entered()).join() === 'alice', 'the shop hears that Alice came');

    const placed: number[] = [];
    const orders = typed<typeof events>(client).subscribe('private-orders.alice');
    orders.bind('placed', ({ id }) => placed.push(id));
    const place = async (isInStock: boolean) =>
      (
        await fetch(`${url}/orders`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ isInStock }),
        })
      ).status;
    expect([await place(false), await place(true)]).toEqual([409, 201]);
    await until(() => placed.length > 0, 'Alice sees her order');
    expect(placed).toEqual([1]);

    client.signin();
    await until(() => client.user.user_data?.['id'] === 'alice', 'Alice is signed in');
    const heard: unknown[] = [];
    client.user.bind('offer', (data: unknown) => heard.push(data));
    const server = channelsClient({ url, appId: '1', key: 'key', secret: 'secret' });
    // A moment after the sign-in the client has subscribed to what is sent to its user.
    await until(
      async () => (await server.sendToUser('alice', 'offer', { cake: 2 }), heard.length > 0),
      'Alice sees an offer',
      30_000,
    );
    expect(heard[0]).toEqual({ cake: 2 });
  } finally {
    client.disconnect();
  }
}
