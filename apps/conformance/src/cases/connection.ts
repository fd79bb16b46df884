import { type Case, Mismatch, Skipped, sources } from '../case.js';
import { described, expects, json } from '../matching.js';

/** Refused, without a code. */
const notFound = { server: 'soketi and Reverb', got: /^Unexpected server response: 404$/ };

/** The protocol proposes 30 s. */
const longestPongSeconds = 60;

const refusal = (id: string, title: string, code: number, query: string, key?: string): Case => ({
  id: `connection/${id}`,
  title,
  profile: 'channels-core',
  source: sources.protocol,
  async run(subject) {
    const socket = await subject.open(query, key);
    await socket.closes(code);
    await socket.gets('pusher:error', { data: { code, message: /./ } });
  },
});

const accepted = (protocol: number, client: string): Case => ({
  id: `connection/protocol-${protocol}`,
  title: `Protocol ${protocol} is accepted`,
  profile: 'channels-core',
  source: sources.protocol,
  async run(subject) {
    const { socket } = await subject.connect(`?protocol=${protocol}&client=${client}&version=2.4.4`);
    await socket.fence();
  },
});

export const connection: readonly Case[] = [
  {
    id: 'connection/greeting',
    title: 'The first frame names the socket, and says how long it may be silent',
    profile: 'channels-core',
    source: sources.pusherJs,
    async run(subject) {
      const socket = await subject.open();
      await socket.fence();
      const isTime = (value: unknown): boolean => typeof value === 'number' && value > 0;
      expects('the first frame', socket.frames[0], {
        event: 'pusher:connection_established',
        data: json({ socket_id: /^\d+\.\d+$/, activity_timeout: isTime }),
      });
    },
  },
  {
    id: 'connection/socket-ids',
    title: 'Two connections have different socket ids',
    profile: 'channels-core',
    source: sources.protocol,
    async run(subject) {
      const [one, other] = [await subject.connect(), await subject.connect()];
      if (one.socketId === other.socketId) throw new Mismatch('the second socket id', 'another one', one.socketId);
    },
  },
  {
    id: 'connection/subprotocol',
    title: 'The subprotocol that a client offers is accepted',
    profile: 'channels-core',
    source: sources.swift,
    async run(subject) {
      const name = 'pusher-channels-protocol-7';
      const socket = await subject.open(undefined, undefined, { protocols: [name] });
      expects('Sec-WebSocket-Protocol', socket.protocol, name);
    },
  },
  ...([4, 5, 6, 7] as const).map((protocol) => accepted(protocol, protocol === 7 ? 'js' : 'java-client')),
  ...Object.entries({
    'protocol-alone': '?protocol=7',
    'version-alpha': '?protocol=7&client=x&version=0.0.0-dev',
  }).map(([id, query]): Case => ({
    id: `connection/${id}`,
    title: `A client that connects to /app/<key>${query} is greeted`,
    profile: 'channels-core',
    source: sources.protocol,
    basis: 'observed',
    async run(subject) {
      const { socket } = await subject.connect(query);
      await socket.fence();
    },
  })),
  { ...refusal('path', 'A path below the key is refused with 4005', 4005, '/more?protocol=7'), dialects: [notFound] },
  refusal('unsupported-protocol', 'A protocol that was never is refused with 4007', 4007, '?protocol=99'),
  refusal('unknown-app', 'An unknown key is refused with 4001', 4001, '?protocol=7', 'no-app-has-this-key'),
  refusal('version', 'A malformed version is refused with 4006', 4006, '?protocol=7&client=js&version=newest'),
  {
    id: 'connection/ping',
    title: 'pusher:ping is answered, with data in a string',
    profile: 'channels-core',
    source: sources.protocol,
    dialects: [
      { server: 'soketi', got: /"data":\{\}/ },
      { server: 'Reverb', got: /^\{"event":"pusher:pong"\}$/ },
    ],
    async run(subject) {
      const { socket } = await subject.connect();
      socket.send({ event: 'pusher:ping' });
      await socket.gets('pusher:pong', { data: '{}' });
    },
  },
  {
    id: 'connection/websocket-ping',
    title: 'A ping of the WebSocket protocol is answered',
    profile: 'channels-core',
    source: sources.swift,
    async run(subject) {
      const { socket } = await subject.connect();
      let hasPong = false;
      socket.ping(() => (hasPong = true));
      await socket.fence();
      expects('a pong', hasPong, true);
    },
  },
  {
    id: 'connection/fragments',
    title: 'A message in several frames of the WebSocket protocol is one message',
    profile: 'channels-core',
    source: 'https://www.rfc-editor.org/rfc/rfc6455#section-5.4',
    async run(subject) {
      const { socket } = await subject.connect();
      const channel = subject.channel();
      socket.sendInPieces({ event: 'pusher:subscribe', data: { channel } }, 3);
      await socket.next('pusher_internal:subscription_succeeded', channel);
    },
  },
  {
    id: 'connection/silence',
    title: 'A silent client gets pusher:ping, and is closed with 4201 if it does not answer',
    profile: 'channels',
    source: sources.protocol,
    async run(subject) {
      if (!subject.target.isSlow) throw new Skipped('it waits for minutes of silence: ask for slow cases');
      const socket = await subject.open(undefined, undefined, { isMute: true });
      const { data } = await socket.next('pusher:connection_established');
      const { activity_timeout: silence } = JSON.parse(String(data)) as { readonly activity_timeout: number };
      socket.patienceMs = (silence + longestPongSeconds) * 1000;
      await socket.next('pusher:ping');
      await socket.closes(4201);
    },
  },
  ...[
    ['text', 'not JSON at all'],
    ['an array', '[]'],
    ['null', 'null'],
    ['an event without a name', '{}'],
    ['an event whose name is a number', '{"event":7}'],
    ['a subscription without data', '{"event":"pusher:subscribe"}'],
    ['a subscription with empty data', '{"event":"pusher:subscribe","data":{}}'],
    ['a subscription whose data is a text', '{"event":"pusher:subscribe","data":"news"}'],
    ['a subscription to an empty name', '{"event":"pusher:subscribe","data":{"channel":""}}'],
    ['an unknown event', '{"event":"pusher:nonsense","data":{}}'],
  ].map(([name = '', frame = '']): Case => ({
    id: `connection/malformed-${name.replaceAll(' ', '-')}`,
    title: `The server goes on after ${name}`,
    profile: 'channels-core',
    source: sources.protocol,
    basis: 'robustness',
    isRude: true,
    async run(subject) {
      const [rude, other] = [await subject.connect(), await subject.connect()];
      rude.socket.send(frame);
      // It may close the one that sent it, but no other.
      await rude.socket.settles();
      await other.socket.fence();
      if (other.socket.closed) throw new Mismatch('another connection', 'open', described(other.socket.closed));
      await subject.connect();
    },
  })),
];
