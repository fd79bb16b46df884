import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientFrame } from '../../support/raw-client.js';
import { Random } from '../../support/random.js';
import { testApp } from '../../support/test-app.js';
import { memberFrame, RudeSocket, subscribeFrame, unsubscribeFrame } from './rude-socket.js';

/**
 * What all of them do in a second, together. The rates are fixed, so that the load is the same on each machine, and low
 * enough for one core that the server shares with others. Each costs its sender next to nothing.
 */
const rates = {
  /** Pairs of a join and a leave, of two connections to one public channel. */
  publicPairs: 300,
  /** The same of one member of a presence channel. */
  memberPairs: 50,
  /** New names of 200 characters that one connection enters and leaves. */
  names: 50,
  /** Pongs of each client that reads nothing. */
  pongs: 1,
  /** Bodies of 1000 empty messages, bodies of 20,000, and WebSocket writes of 10,800. */
  bodies: 2,
  hugeBodies: 0.5,
  writes: 1,
  /** Connections that have earlier events replayed. */
  replays: 12,
  /** Connections that forge their address, and stay. */
  forged: 10,
};

/** A flood comes in bursts, each of one write. */
const burstsPerSecond = 2;
const floodCount = 2;
const readerCount = 10;
const empties = { body: 1000, hugeBody: 20_000, write: 10_800 };
/** One more than the server replays the same events. */
const replaysOfSession = 6;
/** How long a session is open before: some 20 events come, of 10 kB. */
const sessionMs = 4000;
/** How many names a connection may open at once. */
const namesOfConnection = 1000;

/** The public addresses of the rude clients, as the server's proxy sees them. */
const [address, forgersAddress] = ['1.0.0.1', '1.0.0.2'];

/** What became of them. */
export interface RudeFigures {
  /** Connections that were opened. */
  opened: number;
  /** Connections that were not let in. */
  refused: number;
  /** Bodies that were refused. */
  refusedBodies: number;
}

/** Clients that know an app's key, and do as much as they can with it. Those that are closed connect again. */
export class RudeClients {
  readonly figures: RudeFigures = { opened: 0, refused: 0, refusedBodies: 0 };
  isPaused = true;
  private readonly random = new Random(11);
  private sessions = 0;
  private names = 0;

  constructor(private readonly port: number) {}

  /** Goes on until the process ends. */
  async run(): Promise<void> {
    const many = (count: number, run: () => Promise<void>) => Array.from({ length: count }, run);
    await Promise.all([
      ...many(floodCount, () => this.flood(rates.publicPairs / floodCount, publicPair)),
      this.flood(rates.memberPairs, memberPair),
      this.scan(),
      ...many(readerCount, () => this.readNothing()),
      this.sendEmptyFrames(),
      this.paced(rates.bodies, () => this.postEmptyMessages(empties.body)),
      this.paced(rates.hugeBodies, () => this.postEmptyMessages(empties.hugeBody)),
      this.paced(rates.replays / replaysOfSession, () => this.replay()),
      this.paced(rates.forged, () => this.forge()),
    ]);
  }

  /** Joins and leaves in bursts. */
  private flood(pairsPerSecond: number, pairOf: (socket: RudeSocket) => readonly Buffer[]): Promise<void> {
    return this.always(async (socket) => {
      const pairs = Array.from({ length: pairsPerSecond / burstsPerSecond }, () => pairOf(socket)).flat();
      const burst = Buffer.concat(pairs);
      await this.paced(burstsPerSecond, () => socket.write(burst), socket);
    });
  }

  /** Uses up the names that one connection may open, and then connects again. */
  private scan(): Promise<void> {
    return this.always(async (socket) => {
      let left = namesOfConnection;
      const enterAndLeave = (): void => {
        const name = `${this.names++}`.padStart(200, 'scan-');
        socket.write(Buffer.concat([subscribeFrame(name), unsubscribeFrame(name)]));
        if (--left === 0) socket.end();
      };
      await this.paced(rates.names, enterAndLeave, socket);
    });
  }

  private readNothing(): Promise<void> {
    return this.always(async (socket) => {
      socket.write(subscribeFrame('feed'));
      await socket.hears(/subscription_succeeded/);
      socket.pause();
      const pong = clientFrame(10, '');
      await this.paced(rates.pongs, () => socket.write(pong), socket);
    });
  }

  private sendEmptyFrames(): Promise<void> {
    const frames = Buffer.concat(Array<Buffer>(empties.write).fill(clientFrame(1, '')));
    return this.always((socket) => this.paced(rates.writes, () => socket.write(frames), socket));
  }

  private async postEmptyMessages(count: number): Promise<void> {
    const id = this.random.below(1e8).toString().padStart(8, '0');
    const connection = `/pusher/app/${testApp.key}/1/${id}`;
    if ((await this.post(`${connection}/xhr`)) === 200) this.figures.opened++;
    const status = await this.post(`${connection}/xhr_send`, JSON.stringify(Array<string>(count).fill('')));
    if (status === 400) this.figures.refusedBodies++;
  }

  /** Begins a session, and later continues it again and again without an answer to the pings. */
  private async replay(): Promise<void> {
    const session = `rude-session-${this.sessions++}-0123456789`;
    for (let n = 0; n <= replaysOfSession; n++) {
      const socket = await this.open(address, session);
      socket?.write(subscribeFrame('history-news'));
      await socket?.hears(/subscription_succeeded/);
      await this.wait(n === 0 ? sessionMs : 1000 / rates.replays);
      socket?.end();
    }
  }

  /** Connects and stays, each time as from other addresses. */
  private async forge(): Promise<void> {
    const forged = Array.from({ length: 5 }, () =>
      Array.from({ length: 4 }, () => 1 + this.random.below(250)).join('.'),
    );
    await this.open([...forged, forgersAddress].join(', '));
  }

  /** Connects again whenever it is closed. */
  private async always(act: (socket: RudeSocket) => Promise<void>): Promise<never> {
    for (;;) {
      const socket = await this.open(address);
      if (socket) await act(socket);
      else await sleep(1000);
    }
  }

  private async open(forwardedFor: string, session?: string): Promise<RudeSocket | undefined> {
    const socket = await RudeSocket.connect({ port: this.port, forwardedFor, ...(session && { session }) });
    this.figures[socket ? 'opened' : 'refused']++;
    return socket;
  }

  /** Calls at a fixed rate until the socket is closed. Calls for which there was no time are left out. */
  private async paced(perSecond: number, call: () => unknown, socket?: RudeSocket): Promise<void> {
    const everyMs = 1000 / perSecond;
    const isOver = (): boolean => socket?.isOpen === false;
    for (let dueAt = performance.now(); !isOver();) {
      if (!this.isPaused) void call();
      dueAt = Math.max(dueAt, performance.now() - everyMs) + everyMs;
      await sleep(dueAt - performance.now());
    }
  }

  /** Longer, if it is paused meanwhile. */
  private async wait(ms: number): Promise<void> {
    do await sleep(ms);
    while (this.isPaused);
  }

  private async post(path: string, body = ''): Promise<number | undefined> {
    const headers = {
      'content-type': 'application/json',
      'content-length': body.length,
      'x-forwarded-for': address,
    };
    const sent = request({ host: '127.0.0.1', port: this.port, method: 'POST', path, agent: false, headers }).end(body);
    try {
      const [answer] = (await once(sent, 'response')) as [{ statusCode: number; resume: () => void }];
      answer.resume();
      return answer.statusCode;
    } catch {
      return undefined;
    }
  }
}

const publicPair = (): readonly Buffer[] => [subscribeFrame('square'), unsubscribeFrame('square')];
const memberPair = ({ socketId }: RudeSocket): readonly Buffer[] => [
  memberFrame('presence-lobby', socketId, 'rude'),
  unsubscribeFrame('presence-lobby'),
];
