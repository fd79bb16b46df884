import { Injectable } from '@nestjs/common';
import Echo from 'laravel-echo';
import PusherServer from 'pusher';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChannelsModule, ChannelState, EventsService, MembersService } from 'rookery/channels';
import { NotificationsModule, NotificationsService } from 'rookery/notifications';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import { RookeryTesting, testingApp, testingInstance } from '@rookery/testing';
import { PusherJs } from '../support/pusher-js.js';
import { beBrowser, type Component, type Framework, type RenderedPage } from '../support/rendered-page.js';
import { until } from '../support/until.js';

/** Counts, and its channel's state is the number. */
@Injectable()
class Counter {
  number = 0;

  constructor(private readonly events: EventsService) {}

  @ChannelState('counter')
  state(): number {
    return this.number;
  }

  async count(): Promise<void> {
    const data = { number: (this.number += 1) };
    await this.events.trigger(testingApp.id, { name: 'counted', channel: 'counter', data });
  }
}
class CounterModule {}

let rookery: RookeryTesting;
let server: PusherServer;
let counter: Counter;
let beNode: () => void;
beforeAll(async () => {
  beNode = beBrowser();
  rookery = await RookeryTesting.start([
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [{ ...testingApp, clientEvents: true }] }),
    PushDeviceModule.forRoot({ instances: [testingInstance] }),
    PublishModule.forRoot(),
    NotificationsModule.forRoot({ apps: [{ app: testingApp.id }] }),
    { module: CounterModule, providers: [Counter] },
  ]);
  counter = rookery.get(Counter);
  const { id: appId, key, secret } = testingApp;
  server = new PusherServer({ appId, key, secret, host: '127.0.0.1', port: String(rookery.port) });
});
afterAll(async () => {
  await rookery.close();
  beNode();
});

const clients: PusherJs[] = [];
const pages: RenderedPage[] = [];
afterEach(() => {
  for (const page of pages.splice(0)) page.close();
  for (const client of clients.splice(0)) client.disconnect();
  vi.restoreAllMocks();
});

/** Stock pusher-js of a user who may subscribe to every channel but `private-secret`. */
function optionsOf(user: string) {
  return {
    cluster: '',
    wsHost: '127.0.0.1',
    wsPort: rookery.port,
    forceTLS: false,
    enabledTransports: ['ws' as const],
    channelAuthorization: {
      customHandler: ({ socketId, channelName }: any, callback: any) => {
        const member = { user_id: user, user_info: { name: user.toUpperCase() } };
        if (channelName === 'private-secret') callback(new Error('No'), null);
        else callback(null, server.authorizeChannel(socketId, channelName, member));
      },
    },
    userAuthentication: {
      customHandler: ({ socketId }: any, callback: any) =>
        callback(null, server.authenticateUser(socketId, { id: user })),
    },
  };
}
function connect(user = 'alice'): PusherJs {
  const client = new PusherJs(testingApp.key, optionsOf(user));
  clients.push(client);
  return client;
}

const occupied = async (): Promise<string[]> => {
  const response = await server.get({ path: '/channels' });
  return Object.keys(((await response.json()) as { readonly channels: object }).channels);
};
const untilOccupied = (wanted: string): Promise<void> =>
  until(async () => (await occupied()).join() === wanted, `the channels are ${wanted}`);

/** Loaded once there is a document. */
const frameworks: Readonly<Record<string, () => Promise<{ readonly framework: Framework }>>> = {
  react: () => import('../support/react-page.js'),
  vue: () => import('../support/vue-page.js'),
};

describe.each(Object.keys(frameworks))('hooks for %s', (name) => {
  let framework: Framework;
  beforeAll(async () => {
    ({ framework } = await frameworks[name]!());
  });

  let client: PusherJs;
  let page: RenderedPage;
  beforeEach(() => {
    client = connect();
    page = open(client);
  });
  function open(of: Parameters<Framework['open']>[0]): RenderedPage {
    const opened = framework.open(of);
    pages.push(opened);
    return opened;
  }
  const untilShown = (key: string, text: string, on = page): Promise<void> =>
    until(() => on.textOf(key) === text, `${key} shows ${text}, not ${on.textOf(key)}`);

  const status: Component = ({ useChannel }, channel) => {
    const view = useChannel(channel);
    return () => view().status;
  };
  /** Counts how often it hears `e`, and shows nothing of it. */
  const hearing =
    (heard: unknown[]): Component =>
    ({ useEvent, useChannel }, channel) => {
      useEvent(channel, 'e', (data) => heard.push(data));
      const view = useChannel(channel);
      return () => view().status;
    };

  it('subscribe while a component is shown, and leave nothing behind', async () => {
    const heard: unknown[] = [];
    page.show({ key: 'a', component: hearing(heard), channel: 'news' });
    await untilShown('a', 'subscribed');
    await server.trigger('news', 'e', 1);
    await until(() => heard.length === 1, 'it hears the event');
    const channel = client.channel('news');
    page.show();
    await untilOccupied('');
    expect(client.channel('news')).toBeUndefined();
    expect(heard).toEqual([1]);
    expect((channel as any).callbacks._callbacks).toEqual({});
  });

  it('hold a channel for two components until the last is gone', async () => {
    const [first, second]: unknown[][] = [[], []];
    const a = { key: 'a', component: hearing(first!), channel: 'news' };
    const b = { key: 'b', component: hearing(second!), channel: 'news' };
    page.show(a, b);
    await untilShown('b', 'subscribed');
    page.show(b);
    await until(() => page.textOf('a') === undefined, 'the first is gone');
    await server.trigger('news', 'e', 1);
    await until(() => second!.length === 1, 'the second hears it');
    expect(first).toEqual([]);
    page.show();
    await untilOccupied('');
  });

  it('keep the subscription when another component takes it over', async () => {
    const sent = vi.spyOn(client, 'send_event');
    page.show({ key: 'a', component: status, channel: 'news' });
    await untilShown('a', 'subscribed');
    page.show({ key: 'b', component: status, channel: 'news' });
    await untilShown('b', 'subscribed');
    page.show();
    await untilOccupied('');
    expect(sent.mock.calls.map(([event]) => event)).toEqual(['pusher:subscribe', 'pusher:unsubscribe']);
  });

  it('show a late component at once what is known', async () => {
    page.show({ key: 'a', component: status, channel: 'news' });
    await untilShown('a', 'subscribed');
    page.show({ key: 'a', component: status, channel: 'news' }, { key: 'b', component: status, channel: 'news' });
    await untilShown('b', 'subscribed');
  });

  it('follow a changed name, also to none and back', async () => {
    const heard: unknown[] = [];
    const component = hearing(heard);
    for (const channel of ['one', undefined, 'two', 'three']) {
      page.show({ key: 'a', component, channel });
      await untilShown('a', channel ? 'subscribed' : 'subscribing');
      await untilOccupied(channel ?? '');
      await server.trigger(['one', 'two', 'three'], 'e', channel ?? 'none');
      await until(() => heard.at(-1) === channel || !channel, 'it hears the event');
    }
    expect(heard).toEqual(['one', 'two', 'three']);
  });

  it('leave a channel that is subscribed by the page itself', async () => {
    client.subscribe('news');
    page.show({ key: 'a', component: status, channel: 'news' });
    await untilShown('a', 'subscribed');
    page.show();
    await until(() => page.textOf('a') === undefined, 'it is gone');
    page.show({ key: 'b', component: status, channel: 'other' });
    await untilShown('b', 'subscribed');
    page.show();
    await untilOccupied('news');
  });

  it('tell why a channel refuses', async () => {
    const refusal: Component = ({ useChannel }, channel) => {
      const view = useChannel(channel);
      return () => `${view().status}: ${(view().error as { readonly error?: string } | undefined)?.error}`;
    };
    page.show({ key: 'a', component: refusal, channel: 'private-secret' });
    await untilShown('a', 'refused: No');
  });

  it('tell that the connection is lost, and that it is back', async () => {
    page.show({ key: 'a', component: status, channel: 'news' });
    await untilShown('a', 'subscribed');
    client.disconnect();
    await untilShown('a', 'subscribing');
    client.connect();
    await untilShown('a', 'subscribed');
  });

  it('send client events, and name their sender', async () => {
    const other = open(connect('bob'));
    const heard: unknown[] = [];
    const ears: Component = ({ useEvent }, channel) => {
      useEvent(channel, 'client-typing', (data, metadata) => heard.push([data, metadata]));
      return () => '';
    };
    other.show(
      { key: 'b', component: ears, channel: 'presence-room' },
      { key: 'c', component: status, channel: 'presence-room' },
    );
    await untilShown('c', 'subscribed', other);
    let sent = false;
    const mouth: Component = ({ useChannel }, channel) => {
      const view = useChannel(channel);
      return () => {
        if (view().status === 'subscribed') sent ||= view().trigger('client-typing', 1);
        return view().status;
      };
    };
    page.show({ key: 'a', component: mouth, channel: 'presence-room' });
    await until(() => heard.length > 0, 'it is heard');
    expect(heard[0]).toEqual([1, { user_id: 'alice' }]);
  });

  it('show who is present', async () => {
    const names: Component = ({ usePresence }, channel) => {
      const roster = usePresence(channel);
      return () => {
        const { members, me } = roster();
        return `${me?.info.name}: ${members.map(({ info }) => info.name).join()}`;
      };
    };
    const [present, other] = [{ key: 'a', component: names, channel: 'presence-room' }, open(connect('bob'))];
    page.show(present);
    await untilShown('a', 'ALICE: ALICE');
    other.show(present);
    await untilShown('a', 'ALICE: ALICE,BOB');
    await untilShown('a', 'BOB: ALICE,BOB', other);
    await rookery.get(MembersService).update(testingApp.id, 'presence-room', 'bob', { name: 'Robert' });
    await untilShown('a', 'ALICE: ALICE,Robert');
    await untilShown('a', 'Robert: ALICE,Robert', other);
    other.show();
    await untilShown('a', 'ALICE: ALICE');
  });

  const counting: Component = ({ useChannelState }, channel) => {
    const state = useChannelState<number>(channel, { counted: (before, { number }) => Math.max(before, number) });
    return () => `${state()}`;
  };

  it('show the state of a channel and each change, also to those who come late', async () => {
    const a = { key: 'a', component: counting, channel: 'counter' };
    page.show(a);
    await untilShown('a', `${counter.number}`);
    await counter.count();
    await untilShown('a', `${counter.number}`);
    page.show(a, { ...a, key: 'b' });
    await untilShown('b', `${counter.number}`);
    await counter.count();
    await untilShown('b', `${counter.number}`);
    await untilShown('a', `${counter.number}`);
  });

  it('read a state anew that nobody has followed', async () => {
    const a = { key: 'a', component: status, channel: 'counter' };
    page.show(a);
    await untilShown('a', 'subscribed');
    await counter.count();
    page.show(a, { key: 'b', component: counting, channel: 'counter' });
    await untilShown('b', `${counter.number}`);
    await untilShown('a', 'subscribed');
    await counter.count();
    await untilShown('b', `${counter.number}`);
  });

  it('count what a user has not read', async () => {
    const badge: Component = ({ useUnread }) => {
      const unread = useUnread(7);
      return () => `${unread()}`;
    };
    const a = { key: 'a', component: badge };
    page.show(a);
    await untilShown('a', '7');
    await until(() => client.user.user_data !== null, 'the user is signed in');
    const notifications = rookery.get(NotificationsService);
    await notifications.notify('alice', { event: { name: 'mention', data: {} }, push: { fcm: {} } });
    const { unread } = await notifications.feed('alice');
    await untilShown('a', `${unread}`);
    page.show(a, { ...a, key: 'b' });
    await untilShown('b', `${unread}`);
  });

  it('take Laravel Echo as their client', async () => {
    const echo = new Echo({
      broadcaster: 'pusher',
      key: testingApp.key,
      Pusher: PusherJs,
      ...(optionsOf('eve') as object),
    });
    const ofEcho = open(echo);
    ofEcho.show({ key: 'a', component: status, channel: 'private-orders' });
    await untilShown('a', 'subscribed', ofEcho);
    echo.disconnect();
  });

  it('are rendered on a server, where there is no client', async () => {
    const text = await framework.rendered(undefined, { key: 'a', component: status, channel: 'news' });
    expect(text).toContain('<p id="a">subscribing</p>');
    const subscribes = vi.spyOn(client, 'subscribe');
    const all = [status, counting].map((component, i) => ({ key: `a${i}`, component, channel: 'counter' }));
    expect(await framework.rendered(client, ...all)).toContain('undefined</p>');
    expect(subscribes).not.toHaveBeenCalled();
  });

  it('name what is missing without a client', async () => {
    const hint = name === 'react' ? '<ChannelsProvider client={pusher}>' : 'app.provide(clientKey, pusher)';
    await expect(framework.withoutClient(status)).rejects.toThrow(hint);
  });
});
