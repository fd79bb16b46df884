import { type Case, soketiAnswers, sources } from '../case.js';
import { expects, type Pattern } from '../matching.js';
import { type Asked, member } from '../subject.js';

interface Request extends Asked {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
}

/** A request, and the answer that must come. `run` is part of the names of its channels. */
const answers = (
  id: string,
  title: string,
  request: (run: string) => Request,
  answer: { readonly status: number; readonly text?: Pattern; readonly json?: Pattern },
  more: Partial<Case> = {},
): Case => ({
  id: `http-api/${id}`,
  title,
  profile: 'channels-core',
  source: sources.httpApi,
  async run(subject) {
    const { method = 'POST', path, ...asked } = request(subject.run);
    expects('the answer', await subject.ask(method, path, asked), answer);
  },
  ...more,
});

/** Laravel's status of invalid input. */
const unprocessable = { dialects: [{ server: 'Reverb', got: /"status":422/ }] };

const event = (channels: readonly string[], more: Readonly<Record<string, unknown>> = {}) => ({
  path: '/events',
  body: { name: 'asked', channels, data: '{}', ...more },
});
const bytes = (count: number): string => 'x'.repeat(count);
const names = (count: number) => (run: string) => Array.from({ length: count }, (_, n) => `many-${run}-${n}`);

type Fields = Readonly<Record<string, unknown>>;

const accepts = (id: string, title: string, fields: (run: string) => Fields): Case =>
  answers(id, title, (run) => event([run], fields(run)), { status: 200, text: /^\{/ });

const refuses = (
  id: string,
  title: string,
  status: 400 | 413,
  fields: (run: string) => Fields,
  more: Partial<Case> = {},
): Case => answers(id, title, (run) => event([run], fields(run)), { status }, { ...unprocessable, ...more });

/** A body that no SDK sends: it stops soketi, or gets no answer. */
const malformed = (id: string, title: string, path: '/events' | '/batch_events', body: unknown): Case =>
  answers(id, title, () => ({ path, body }), { status: 400 }, { ...unprocessable, isRude: true });

const batched = (
  id: string,
  title: string,
  answer: Pattern,
  items: (run: string) => readonly Fields[],
  more: Partial<Case> = {},
): Case =>
  answers(
    `batch-${id}`,
    title,
    (run) => ({
      path: '/batch_events',
      body: { batch: items(run).map((item) => ({ name: 'asked', channel: run, data: '{}', ...item })) },
    }),
    answer as { readonly status: number },
    more,
  );

const signed = (id: string, title: string, change: (run: string) => Asked, text: RegExp): Case =>
  answers(
    `signature-${id}`,
    title,
    (run) => ({ ...event([run]), ...change(run) }),
    { status: 401, text },
    {
      source: sources.ruby,
      dialects: [{ server: 'Reverb', got: /"status":401,"text":"Authentication signature invalid/ }],
    },
  );

export const httpApi: readonly Case[] = [
  answers(
    'event',
    'A trigger is answered with {}',
    (run) => event([run]),
    { status: 200, text: /^\{\}\s*$/ },
    { dialects: [soketiAnswers] },
  ),
  answers('one-channel', 'A trigger may name one channel', (run) => event([], { channels: undefined, channel: run }), {
    status: 200,
  }),
  answers('channels-100', 'A trigger reaches up to 100 channels', (run) => event(names(100)(run)), { status: 200 }),
  answers('channels-101', '101 channels are refused', (run) => event(names(101)(run)), { status: 400 }),
  answers('no-channels', 'A trigger without a channel is refused', () => event([]), { status: 400 }, unprocessable),
  answers(
    'no-name',
    'A trigger without a name is refused',
    (run) => event([run], { name: undefined }),
    { status: 400 },
    unprocessable,
  ),
  answers(
    'no-data',
    'A trigger without data is refused',
    (run) => event([run], { data: undefined }),
    { status: 400 },
    unprocessable,
  ),
  answers('name-201', 'A name of 201 characters is refused', (run) => event([run], { name: bytes(201) }), {
    status: 400,
  }),
  answers('channel-characters', 'A channel name that no client could subscribe to is refused', () => event(['a b']), {
    status: 400,
  }),
  answers('socket-id', 'A malformed socket id is refused', (run) => event([run], { socket_id: 'x' }), { status: 400 }),
  answers('data-10240', 'Data of 10,240 bytes is accepted', (run) => event([run], { data: bytes(10_240) }), {
    status: 200,
  }),
  answers('data-10241', 'Data of 10,241 bytes is refused with 413', (run) => event([run], { data: bytes(10_241) }), {
    status: 413,
    text: /content of this event exceeds the allowed maximum/,
  }),
  accepts('name-200', 'A name of 200 characters is accepted', () => ({ name: bytes(200) })),
  accepts('name-of-laravel', 'A name with backslashes is accepted', () => ({ name: 'App\\Events\\OrderShipped' })),
  accepts('data-escaped', 'Data is measured without its escapes', () => ({ data: '\u0001'.repeat(10_240) })),
  accepts('data-two-bytes', 'Data is measured in bytes: 5,120 characters of two', () => ({ data: 'é'.repeat(5120) })),
  refuses('data-two-bytes-over', '5,121 characters of two bytes are refused', 413, () => ({ data: 'é'.repeat(5121) })),
  accepts('socket-id-of-nobody', 'A socket id that nobody has is accepted', () => ({ socket_id: '1.2' })),
  accepts('encrypted', 'One encrypted channel is accepted', (run) => ({ channels: [`private-encrypted-${run}`] })),
  refuses('encrypted-among-others', 'An encrypted channel among others is refused', 400, (run) => ({
    channels: [run, `private-encrypted-${run}`],
  })),
  refuses('channel-201', 'A channel name of 201 characters is refused', 400, () => ({ channels: [bytes(201)] })),
  refuses('channel-number', 'A channel that is a number is refused', 400, () => ({ channels: [7] }), { isRude: true }),
  refuses(
    'channels-object',
    'Channels that are no list are refused',
    400,
    () => ({ channels: { length: 1, 0: 'a' } }),
    { isRude: true },
  ),
  refuses('name-number', 'A name that is a number is refused', 400, () => ({ name: 7 })),
  malformed('body-array', 'A body that is an array is refused', '/events', '[]'),
  malformed('body-text', 'A body that is a text is refused', '/events', '"text"'),
  malformed('not-json', 'A body that is no JSON is refused', '/events', '{"name"'),
  answers(
    'batch',
    'A batch is answered with {}',
    (run) => ({ path: '/batch_events', body: { batch: [{ name: 'asked', channel: run, data: '{}' }] } }),
    { status: 200, text: /^\{\}\s*$/ },
    {
      dialects: [soketiAnswers, { server: 'Reverb', got: /\{\\"batch\\":\{\}\}/ }],
    },
  ),
  answers(
    'batch-11',
    'A batch of eleven is refused',
    (run) => ({
      path: '/batch_events',
      body: { batch: Array.from({ length: 11 }, () => ({ name: 'asked', channel: run, data: '{}' })) },
    }),
    { status: 400, text: /Batch too large \(11 > 10\)/ },
    { source: sources.httpSwift },
  ),
  answers(
    'batch-no-channel',
    'An event of a batch without a channel is refused',
    () => ({ path: '/batch_events', body: { batch: [{ name: 'asked', data: '{}' }] } }),
    { status: 400, text: /Missing required parameter: channel/ },
    { source: sources.httpSwift, ...unprocessable },
  ),
  batched('10-large', 'Ten events of full size are accepted', { status: 200 }, () =>
    Array.from({ length: 10 }, () => ({ data: '\u0001'.repeat(10_240) })),
  ),
  batched('data-10241', 'An event of a batch with data of 10,241 bytes is refused', { status: 413 }, () => [
    {},
    { data: bytes(10_241) },
  ]),
  batched(
    'no-name',
    'An event of a batch without a name is refused',
    { status: 400 },
    () => [{}, { name: undefined }],
    unprocessable,
  ),
  batched('channel', 'An event of a batch for a malformed channel is refused', { status: 400 }, () => [
    { channel: 'a b' },
  ]),
  batched('encrypted', 'A batch may have encrypted channels among others', { status: 200 }, (run) => [
    {},
    { channel: `private-encrypted-${run}` },
  ]),
  malformed('batch-object', 'A batch that is no list is refused', '/batch_events', { batch: {} }),
  malformed('no-batch', 'A batch without events is refused', '/batch_events', {}),
  answers(
    'channel-name',
    'A channel whose name is malformed is refused',
    () => ({ method: 'GET', path: '/channels/a%20b' }),
    { status: 400 },
  ),
  answers(
    'no-users-counted',
    'A presence channel without members has a user_count of 0',
    (run) => ({ method: 'GET', path: `/channels/presence-${run}`, query: { info: 'user_count' } }),
    { status: 200, json: { occupied: false, user_count: 0 } },
  ),
  answers(
    'no-occupied',
    'The list of channels is an object, also without any',
    (run) => ({ method: 'GET', path: '/channels', query: { filter_by_prefix: `none-${run}` } }),
    { status: 200, text: /\{"channels":\{\}\}/ },
  ),
  answers(
    'unoccupied',
    'A channel without subscribers is not occupied',
    (run) => ({ method: 'GET', path: `/channels/${run}` }),
    { status: 200, json: { occupied: false } },
  ),
  answers(
    'user-count-of-all',
    'user_count of channels that are no presence channels is refused',
    () => ({ method: 'GET', path: '/channels', query: { info: 'user_count' } }),
    { status: 400, text: /user_count may only be requested for presence channels/ },
    { source: sources.httpSwift },
  ),
  answers(
    'user-count-of-one',
    'user_count of a public channel is refused',
    (run) => ({ method: 'GET', path: `/channels/${run}`, query: { info: 'user_count' } }),
    { status: 400, text: /Cannot retrieve the user count unless the channel is a presence channel/ },
    { source: sources.httpSwift },
  ),
  answers(
    'unknown-attribute',
    'An unknown attribute is refused',
    (run) => ({ method: 'GET', path: `/channels/${run}`, query: { info: 'nonsense' } }),
    { status: 400, text: /info should be a comma separated list of attributes/ },
    { source: 'https://github.com/pusher/pusher-http-dotnet, ChannelState' },
  ),
  signed(
    'wrong',
    'A wrong signature is refused, with what should have been signed',
    () => ({ secret: 'wrong' }),
    /^Invalid signature: /,
  ),
  signed('key', 'An unknown key is refused', () => ({ key: 'no-app-has-this-key' }), /auth_key/),
  signed(
    'old',
    'A signature of eleven minutes ago is refused',
    () => ({ timestamp: Math.floor(Date.now() / 1000) - 660 }),
    /^Timestamp expired/,
  ),
  signed(
    'future',
    'A signature of in eleven minutes is refused',
    () => ({ timestamp: Math.floor(Date.now() / 1000) + 660 }),
    /^Timestamp expired/,
  ),
  signed(
    'none',
    'A request without a signature is refused',
    () => ({ tamper: (query) => query.delete('auth_signature') }),
    /./,
  ),
  signed(
    'no-key',
    'A request without a key is refused',
    () => ({ tamper: (query) => query.delete('auth_key') }),
    /auth_key/,
  ),
  signed(
    'added',
    'A parameter that was not signed is refused',
    () => ({ tamper: (query) => query.append('info', 'user_count') }),
    /^Invalid signature/,
  ),
  signed(
    'version',
    'A version of signatures that never was is refused',
    () => ({ tamper: (query) => query.set('auth_version', '9.0') }),
    /./,
  ),
  signed(
    'other-body',
    'A body that was not signed is refused',
    (run) => ({ sent: JSON.stringify(event([run], { name: 'forged' }).body) }),
    /./,
  ),
  signed(
    'no-digest',
    'A body that the signature does not cover is refused',
    (run) => ({ body: undefined, sent: JSON.stringify(event([run]).body) }),
    /./,
  ),
  signed('empty', 'An empty signature is refused', () => ({ tamper: (query) => query.set('auth_signature', '') }), /./),
  ...[-590, 590].map((seconds) =>
    answers(
      `signature-${seconds < 0 ? 'late' : 'early'}`,
      `A signature ${Math.abs(seconds)} s ${seconds < 0 ? 'ago' : 'ahead'} is accepted`,
      (run) => ({ ...event([run]), timestamp: Math.floor(Date.now() / 1000) + seconds }),
      { status: 200 },
      { source: sources.ruby },
    ),
  ),
  answers(
    'signature-decoded',
    'A signature covers the values of the query as they are, not as they are escaped',
    () => ({ method: 'GET', path: '/channels', query: { filter_by_prefix: 'a b&=/ü+' } }),
    { status: 200 },
    { source: sources.ruby },
  ),
  {
    id: 'http-api/prefix',
    title: 'A prefix filters the list of channels',
    profile: 'channels-core',
    source: sources.httpApi,
    async run(subject) {
      const [own, other] = [subject.channel('own-'), subject.channel('other-')];
      await subject.subscribe(await subject.subscribed(own), other);
      const { json } = await subject.ask('GET', '/channels', { query: { filter_by_prefix: 'own-' } });
      const hasOwnAlone = (channels: unknown): boolean =>
        channels !== null && typeof channels === 'object' && own in channels && !(other in channels);
      expects('the list', json, { channels: hasOwnAlone });
    },
  },
  {
    id: 'http-api/once',
    title: 'An event for several channels comes once on each',
    profile: 'channels-core',
    source: sources.httpApi,
    async run(subject) {
      const [one, other] = [subject.channel('one-'), subject.channel('other-')];
      const connected = await subject.subscribed(one);
      await subject.subscribe(connected, other);
      await subject.trigger([one, other]);
      for (const channel of [one, other]) await connected.socket.next('asked', channel);
      await connected.socket.getsNo('asked');
    },
  },
  {
    id: 'http-api/batch-info',
    title: 'A batch is answered with the attributes of each event, in its order',
    profile: 'channels-core',
    source: sources.httpApi,
    async run(subject) {
      const channel = subject.channel('presence-');
      await subject.subscribed(channel, member('ann'));
      const item = { name: 'asked', channel, data: '{}' };
      const asking = { ...item, info: 'user_count' };
      const { status, json } = await subject.ask('POST', '/batch_events', { body: { batch: [item, asking] } });
      expects('the answer', { status, json }, { status: 200, json: { batch: [{}, { user_count: 1 }] } });
    },
  },
  {
    id: 'http-api/batch-order',
    title: 'Events of a batch arrive in their order',
    profile: 'channels-core',
    source: sources.protocol,
    async run(subject) {
      const channel = subject.channel();
      const { socket } = await subject.subscribed(channel);
      const batch = Array.from({ length: 10 }, (_, n) => ({ name: 'asked', channel, data: String(n) }));
      await subject.ask('POST', '/batch_events', { body: { batch } });
      for (const { data } of batch) await socket.gets('asked', { data });
    },
  },
  {
    id: 'http-api/occupied',
    title: 'A channel with a subscriber is occupied, and in the list',
    profile: 'channels-core',
    source: sources.httpApi,
    async run(subject) {
      const channel = subject.channel();
      await subject.subscribed(channel);
      expects('the channel', (await subject.ask('GET', `/channels/${channel}`)).json, { occupied: true });
      const { json } = await subject.ask('GET', '/channels', { query: { filter_by_prefix: channel } });
      expects('the list', json, { channels: { [channel]: {} } });
    },
  },
  {
    id: 'http-api/user-count',
    title: 'The users of a presence channel are counted, each once',
    profile: 'channels-core',
    source: sources.httpApi,
    async run(subject) {
      const channel = subject.channel('presence-');
      for (const id of ['ann', 'ann', 'ben']) await subject.subscribed(channel, member(id));
      const one = await subject.ask('GET', `/channels/${channel}`, { query: { info: 'user_count' } });
      expects('the channel', one.json, { occupied: true, user_count: 2 });
      const query = { filter_by_prefix: channel, info: 'user_count' };
      expects('the list', (await subject.ask('GET', '/channels', { query })).json, {
        channels: { [channel]: { user_count: 2 } },
      });
    },
  },
  {
    id: 'http-api/info',
    title: 'A trigger with info is answered with the counts of its channels',
    profile: 'channels-core',
    source: sources.httpApi,
    async run(subject) {
      const channel = subject.channel('presence-');
      await subject.subscribed(channel, member('ann'));
      const { json } = await subject.trigger([channel], '{}', { info: 'user_count' });
      expects('the answer', json, { channels: { [channel]: { user_count: 1 } } });
    },
  },
  {
    id: 'http-api/delivery',
    title: 'Data arrives as it was sent, whatever characters it has',
    profile: 'channels-core',
    source: sources.protocol,
    async run(subject) {
      const channel = subject.channel();
      const { socket } = await subject.subscribed(channel);
      for (const data of ['{"a": 1 , "b":[ ]}', 'no JSON', '"quotes\\" and \\\\"', 'ünïcödé 💬  \u0000']) {
        await subject.trigger([channel], data);
        await socket.gets('asked', { channel, data });
      }
    },
  },
  {
    id: 'http-api/excluded',
    title: 'The connection of socket_id does not get the event, and the others do',
    profile: 'channels-core',
    source: sources.httpApi,
    async run(subject) {
      const channel = subject.channel();
      const [own, other] = [await subject.subscribed(channel), await subject.subscribed(channel)];
      await subject.trigger([channel], '{}', { socket_id: own.socketId });
      await other.socket.next('asked', channel);
      await own.socket.getsNo('asked', channel);
    },
  },
  {
    id: 'http-api/order',
    title: 'Events of one channel arrive in the order of their triggers',
    profile: 'channels-core',
    source: sources.protocol,
    async run(subject) {
      const channel = subject.channel();
      const { socket } = await subject.subscribed(channel);
      for (let n = 0; n < 20; n++) await subject.trigger([channel], String(n));
      for (let n = 0; n < 20; n++) await socket.gets('asked', { data: String(n) });
    },
  },
  {
    id: 'http-api/batch-delivery',
    title: 'Each event of a batch reaches its channel',
    profile: 'channels-core',
    source: sources.httpApi,
    async run(subject) {
      const [one, other] = [subject.channel('one-'), subject.channel('other-')];
      const connected = await subject.subscribed(one);
      await subject.subscribe(connected, other);
      const batch = [one, other].map((channel) => ({ name: 'asked', channel, data: channel }));
      const { status } = await subject.ask('POST', '/batch_events', { body: { batch } });
      expects('the answer', status, 200);
      for (const channel of [one, other]) await connected.socket.gets('asked', { channel, data: channel }, channel);
    },
  },
];
