import { changed, docBlocks } from './doc-blocks.js';
import type { Snippet, Surroundings } from './checked-snippets.js';

/** The code of all pages that a compiler can check: a change as what it makes of the code. */
export const docSnippets = (root: string): Snippet[] =>
  docBlocks(root)
    .filter(({ language }) => ['js', 'ts', 'tsx', 'diff'].includes(language))
    .map(({ place, language, code }) => ({
      place,
      language: language === 'diff' ? 'ts' : language,
      code: language === 'diff' ? changed(code) : code,
    }));

const kit = [
  'authorization',
  'channels',
  'notifications',
  'presence',
  'publish',
  'push-device',
  'redis',
  'typeorm',
].map((name) => `rookery/${name}`);
const besideTheKit = [
  '@rookery/console',
  '@rookery/testing',
  '@rookery/client',
  ...['events', 'server', 'ai'].map((name) => `@rookery/client/${name}`),
];

const page = (...lines: readonly string[]): string => lines.join('\n');

const tested = page(
  ...['afterAll', 'afterEach', 'beforeAll', 'expect', 'it'].map((name) => `import { ${name} } from 'vitest';`),
  "import { FastifyAdapter } from '@nestjs/platform-fastify';",
  "import '@rookery/testing/vitest';",
  'declare class OrdersModule {}',
  'declare class HostModule {}',
  'declare class ShopModule {}',
  'declare class OrdersTable {}',
  'declare class Mailer {}',
  'declare class OrdersService { ship(id: number, user: string): Promise<void>; }',
  'declare class Shop { ship(id: string, user: string): Promise<void>; }',
  'declare const rookery: RookeryTesting;',
  'declare const client: TestClient;',
  'declare const clock: TestClock;',
);

/** What the reader has of their own, or has read further up. */
const declared: Readonly<Record<string, string>> = {
  'docs/ai.md': page(
    'declare const useChat: any;',
    "declare const pusher: import('pusher-js').default;",
    "declare const messages: import('ai').UIMessage[];",
    'declare const load: (id: string) => Promise<unknown>;',
    "declare const model: import('ai').LanguageModel;",
    'declare const answer: EventStream;',
    'declare const parts: AsyncIterable<object>;',
  ),
  'docs/authorization.md': page(
    'declare const app: AppConfig;',
    'declare class Orders { isOf(user: User, id: number): Promise<boolean>; }',
    'declare class Channels {}',
    'declare class Users {}',
  ),
  'docs/client-events.md': page(
    'declare const testApp: AppConfig;',
    'declare const isMove: (data: unknown) => boolean;',
    'declare class TypingGuard { canActivate(): boolean; }',
  ),
  'docs/embedding.md': page(
    "import { createServer } from 'node:http';",
    'declare class News {}',
    'declare class Rooms {}',
    'declare const databaseUrl: string;',
    'declare const redisUrl: string | undefined;',
    'declare const testApp: AppConfig;',
    'declare const instance: Instance;',
    'declare class TenantsModule {}',
    'declare class Tenants { one(by: object): Promise<AppConfig | undefined>; }',
    'declare class AppsFromMyDatabase extends AppRepository { findById(id: string): any; findByKey(key: string): any; }',
    'declare class ConfigModule {}',
    'declare class ConfigService { getOrThrow(name: string): any; }',
    "declare const app: import('@nestjs/common').INestApplication;",
    "declare const express: { getInstance(): import('node:http').RequestListener };",
    'declare const port: number;',
  ),
  'docs/hooks.md': page('declare const key: string;', "declare const options: import('pusher-js').Options;"),
  'docs/live-activities.md': page(
    'declare const channels: LiveActivityChannels;',
    'declare const publishes: PublishService;',
  ),
  'docs/notifications.md': page(
    'declare const room: string;',
    'declare const from: string;',
    'declare const text: string;',
    "declare const pusher: import('pusher-js').default;",
  ),
  'docs/own-device-storage.md': page(
    'declare class DatabaseModule {}',
    'declare const emptyDatabase: () => Promise<{ close(): Promise<void> }>;',
    'declare const MyDeviceRepository: new (database: object) => DeviceRepository;',
  ),
  'docs/receipts.md': page(
    "declare const pusher: import('pusher');",
    "declare const channel: import('pusher-js').Channel;",
  ),
  'docs/recipes.md': page(
    'declare const image: string;',
    'declare const link: string;',
    'declare const at: Date;',
    "declare const pusher: import('pusher-js').default;",
    'declare const input: HTMLInputElement;',
    'declare const hide: (user: string) => void;',
    'declare const self: any; // A service worker, whose types are not those of a page.',
  ),
  'docs/requests.md': page(
    "declare const clients: import('rookery/channels').ClientsService;",
    'declare const app: App;',
    "declare const pusher: import('pusher-js').default;",
    'declare class PlayersOnly { canActivate(): boolean; }',
    'declare class MoveDto { readonly field: number; }',
  ),
  'docs/socket-io.md': page(
    "import { IoAdapter } from '@nestjs/platform-socket.io';",
    "import { WebSocketGateway, WebSocketServer } from '@nestjs/websockets';",
    "import { createAdapter } from '@socket.io/redis-adapter';",
    "import { Redis } from 'ioredis';",
    "import type { Namespace, Server, ServerOptions, Socket } from 'socket.io';",
    "import { io } from 'socket.io-client';",
    "import { expect } from 'vitest';",
    "import '@rookery/testing/vitest';",
    'declare const port: number;',
    'declare class AdminGuard { canActivate(): boolean; }',
    'declare class MovesModule {}',
  ),
  'docs/state.md': page(
    'interface Order { readonly id: number; }',
    "declare const pusher: import('pusher-js').default;",
    'declare const withOrder: (all: readonly Order[], order: Order) => readonly Order[];',
    "declare const live: import('@rookery/client').LiveState<readonly Order[]>;",
    'declare const useChannelState: <S>(channel: string, changes: Record<string, (state: S, data: never) => S>) => S;',
    "declare const echo: { channel(name: string): { subscription: import('pusher-js').Channel } };",
  ),
  'docs/streams.md': page(
    "declare const model: import('ai').LanguageModel;",
    'declare const prompt: string;',
    "declare const pusher: import('pusher-js').default;",
  ),
  'docs/tabs.md': page("declare const options: import('pusher-js').Options;"),
  'docs/testing.md': tested,
  'libs/testing/README.md': tested,
  'libs/console/README.md': "import type { IncomingMessage } from 'node:http';",
  'docs/transactions.md': page(
    "import { DataSource } from 'typeorm';",
    'declare class Order { id: string; customer: string; isShipped: boolean; }',
  ),
  'docs/typed-events.md': page(
    "import { IsInt, IsString } from 'class-validator';",
    'class ShippedDto { readonly orderId!: number; readonly carrier!: string; }',
    'declare const arrival: StandardSchema<{ at: string }>;',
    "const events = made(); function made() { return defineEvents({ 'orders.{id}': { shipped: ShippedDto } }); }",
    "declare const live: import('@rookery/client').TypedPusher<typeof events>;",
    'declare const heard: string[];',
  ),
};

/** What pages take for granted: imports that they leave out, and what the reader has of their own. */
export const docSurroundings: Surroundings = {
  modules: [...kit, ...besideTheKit, '@nestjs/common', '@nestjs/core', '@nestjs/swagger', 'ai'],
  imports: (name, code) => {
    if (name === 'Pusher') return `import Pusher from '${/appId|host:/.test(code) ? 'pusher' : 'pusher-js'}';`;
    if (name === 'PushNotifications') return "import PushNotifications from '@pusher/push-notifications-server';";
    if (name === 'PusherPushNotifications' && code.includes('.Client'))
      return "import * as PusherPushNotifications from '@pusher/push-notifications-web';";
    if (name === 'Client') return "import { Client } from '@pusher/push-notifications-web';";
    if (name === 'client' && code.includes('clearAllState'))
      return "import type { Client } from '@pusher/push-notifications-web'; declare const client: Client;";
    if (name === 'createHash') return "import { createHash } from 'node:crypto';";
    return undefined;
  },
  own: [
    'User',
    'PlanGuard',
    'Tracing',
    'LoginGuard',
    'MyBroker',
    'id',
    'key',
    'secret',
    'appId',
    'apps',
    'instanceId',
    'secretKey',
    'user',
    'userId',
    'data',
    'fcm',
    'apns',
    'web',
    'connectionId',
    'wsHost',
    'importScripts',
    'show',
    'badge',
    'removeFromFeed',
    'remove',
    'PusherPushNotifications',
    'presence',
    'url',
    'webhookSecret',
  ],
  declared,
  members: {
    orders: 'any',
    opened: 'Set<string>',
    moves: '{ game: number; player: string; field: number }[]',
    logger: "import('@nestjs/common').Logger",
    messages: '{ readBy(userId: string, receipt: string): Promise<void> }',
    notifications: "import('rookery/notifications').NotificationsService",
    streams: "import('rookery/channels').StreamsService",
    events: "import('rookery/channels').EventsService",
    users: "import('rookery/channels').UsersService",
    subscriptions: "import('rookery/channels').SubscriptionsService",
    devices: "import('rookery/push-device').DevicesService",
    publishes: "import('rookery/publish').PublishService",
    banned: 'Set<string>',
  },
};

const reactNative = 'the types of pusher-js are wrong, as the page says, and the native SDK is in no release';

/** What is wrong with snippets by the types of others, without the line of the page, and why it stays. */
export const knownFaults: Readonly<Record<string, string>> = {
  "README.md: Object literal may only specify known properties, and 'port' does not exist in type 'Options'.":
    '@pusher/push-notifications-server reads this option, which its types lack',
  "docs/hooks.md: Cannot find module './Room.vue' or its corresponding type declarations.":
    'a component of Vue, which bundlers compile',
  "docs/private-channel.md: Argument of type 'string | undefined' is not assignable to parameter of type 'string | URL'.   Type 'undefined' is not assignable to type 'string | URL'.":
    'JavaScript of a server, whose requests always have a url',
  "docs/sdks/react-native.md: Module '\"pusher-js/react-native\"' has no exported member 'Pusher'. Did you mean to use 'import Pusher from \"pusher-js/react-native\"' instead?":
    reactNative,
  "docs/sdks/react-native.md: Property 'getInstance' does not exist on type 'typeof Pusher'.": reactNative,
};

/** A fault without the line of the page. */
export const withoutLine = (fault: string): string => fault.replace(/^([^:]+):\d+:/, '$1:');
