import { Party } from '../../../libs/testing/src/simulation/party.js';
import { Wire } from '../../../libs/testing/src/simulation/wire.js';
import type { World } from '../../../libs/testing/src/simulation/world.js';
import type { Postgres } from './postgres.js';
import { lockWorkOf, SessionLock } from './session-locks.js';
import { type Line, SimulatedSocket } from './socket.js';
import { answerToProbe, channelOf, query, textOf, welcome } from './wire-format.js';

/** As over connections to another machine. Within a transaction none is slow, since that keeps all others waiting. */
const network = { least: 0.2, most: 3, slow: 60 };
const slowShare = 0.1;
/** How long it takes a process to notice that a connection has broken, at most. */
const noticeMs = 500;

/** By which a process asks whether the server answers at all. */
const probe = 'SELECT 1';

/** A connection at the server. */
class Session {
  readonly listens = new Set<string>();
  /** Whether notifications no longer reach the client, which does not know. */
  isDeaf = false;
  isOpen = true;
  isInTransaction = false;
  /** What the open transaction writes that the record needs. */
  writes = new Set<string>();
  stalledUntil = 0;

  constructor(
    /** The process. */
    readonly party: Party,
    readonly down: (bytes: Buffer) => void,
    /** The connection breaks. */
    readonly cut: () => void,
  ) {}
}

interface Batch {
  readonly session: Session;
  readonly bytes: Buffer;
}

/** The server of a run: connections of pg to one backend, which runs one transaction after the other. */
export class PostgresServer {
  readonly party = new Party('postgres');
  private readonly sessions = new Set<Session>();
  private readonly lock = new SessionLock<Session>();
  private readonly waiting: Batch[] = [];
  /** The session whose transaction is open. */
  private holder: Session | undefined;
  private isAway = false;
  private onFree: (() => void) | undefined;
  private sockets = 0;
  private readonly stalls = new Map<Party, number>();
  private readonly wires = new Map<Party, Set<Wire<unknown>>>();

  /** @param committed called with the names of written tables and called functions when a transaction is committed */
  constructor(
    private readonly world: World,
    private readonly postgres: Postgres,
    private readonly committed: (writes: ReadonlySet<string>) => void,
  ) {}

  /** Whether no transaction is open, and connections are taken. */
  get isFree(): boolean {
    return !this.isAway && this.party.state === 'running' && this.holder === undefined;
  }

  /** Calls it when no transaction is open. */
  whenFree(work: () => void): void {
    if (this.holder === undefined) work();
    else this.onFree = work;
  }

  /** The socket of a new connection of a process. While time stands still, answers come at once. */
  socketOf(party: Party): SimulatedSocket {
    const { world } = this;
    const name = `${party.name} socket ${(this.sockets += 1)}`;
    const session = new Session(
      party,
      (bytes) => toClient(() => socket.take(bytes)),
      () => {
        for (const wire of [up, down]) wire.cut();
        world.after(world.random('broken connections').below(noticeMs), () => socket.broke(), party);
      },
    );
    const latency = {
      ...network,
      get slowShare() {
        return session.isInTransaction ? 0 : slowShare;
      },
    };
    const run = (work: () => void): void => work();
    const up = new Wire<() => void>(world, `${name} up`, this.party, latency, run);
    const down = new Wire<() => void>(world, `${name} down`, party, latency, run);
    const leftMs = (this.stalls.get(party) ?? 0) - world.now;
    if (leftMs > 0) for (const wire of [up, down]) wire.stall(leftMs);
    const wires = this.wires.get(party) ?? new Set();
    this.wires.set(party, wires.add(up as Wire<unknown>).add(down as Wire<unknown>));
    const toServer = (work: () => void): void => (world.isStill ? process.nextTick(work) : up.send(work));
    const toClient = (work: () => void): void => (world.isStill ? process.nextTick(work) : down.send(work));
    let isWelcome = false;
    const line: Line = {
      connect: () =>
        toServer(() => {
          if (this.isAway) return toClient(() => socket.broke('ECONNREFUSED'));
          this.sessions.add(session);
          toClient(() => socket.emit('connect'));
        }),
      send: (bytes) =>
        toServer(() => {
          if (!session.isOpen) return;
          if (isWelcome) this.take(session, bytes);
          else session.down(welcome);
          isWelcome = true;
        }),
      end: () =>
        toServer(() => {
          wires.delete(up as Wire<unknown>);
          wires.delete(down as Wire<unknown>);
          this.end(session);
        }),
    };
    const socket = new SimulatedSocket(line);
    return socket;
  }

  /** Nothing is carried between a process and the server for this time. */
  stall(party: Party, milliseconds: number): void {
    this.stalls.set(party, Math.max(this.stalls.get(party) ?? 0, this.world.now + milliseconds));
    for (const wire of this.wires.get(party) ?? []) wire.stall(milliseconds);
  }

  /** The process is dead: its connections end. */
  left(party: Party): void {
    for (const session of this.sessions) if (session.party === party) this.end(session);
    this.wires.delete(party);
  }

  /** The connections on which a process listens carry no more notifications; later they break. */
  dropListeners(party: Party, afterMs: number): void {
    const listening = [...this.sessions].filter((each) => each.party === party && each.listens.size > 0);
    for (const session of listening) {
      session.isDeaf = true;
      const drop = (): void => {
        if (!session.isOpen) return;
        this.end(session);
        session.cut();
      };
      this.world.after(afterMs, drop, this.party);
    }
  }

  /** All connections break, and open transactions are rolled back. New ones are refused. */
  goAway(): void {
    this.isAway = true;
    this.waiting.length = 0;
    for (const session of this.sessions) {
      this.end(session);
      session.cut();
    }
  }

  comeBack(): void {
    this.isAway = false;
  }

  /** What one connection would see now, without waiting. */
  rows(text: string): ReturnType<Postgres['rows']> {
    return this.postgres.rows(text);
  }

  private end(session: Session): void {
    if (!session.isOpen) return;
    session.isOpen = false;
    this.sessions.delete(session);
    this.lock.release(session);
    if (this.holder === session) this.run(session, query('ROLLBACK'));
    this.runWaiting();
  }

  private take(session: Session, bytes: Buffer): void {
    if (bytes[0] === 0x58) return this.end(session);
    // A probe waits for no transaction.
    if (this.holder !== undefined && this.holder !== session && textOf(bytes) === probe)
      return session.down(answerToProbe);
    this.waiting.push({ session, bytes });
    this.runWaiting();
  }

  private runWaiting(): void {
    for (;;) {
      const { holder } = this;
      const index = this.waiting.findIndex(({ session }) => holder === undefined || session === holder);
      if (index < 0) return;
      const [{ session, bytes }] = this.waiting.splice(index, 1) as [Batch];
      // A statement that waited runs although its client has gone.
      this.answer(session, bytes);
      if (!session.isOpen && this.holder === session) this.run(session, query('ROLLBACK'));
    }
  }

  private answer(session: Session, bytes: Buffer): void {
    const text = textOf(bytes) ?? '';
    const [, command, name] = /^(LISTEN|UNLISTEN) (\w+)$/.exec(text) ?? [];
    if (command === 'LISTEN') session.listens.add(name!);
    if (command === 'UNLISTEN') session.listens.delete(name!);
    // Others may listen to it.
    if (command === 'UNLISTEN') return this.run(session, query('SELECT 1'));
    const lockWork = lockWorkOf(text);
    if (lockWork === undefined) return this.run(session, bytes);
    const isTaken = lockWork === 'try' ? this.lock.try(session) : true;
    // It waits for the open transaction, as all statements do.
    const reply = (): void => void this.waiting.push({ session, bytes: query(`SELECT ${isTaken} AS answer`) });
    if (lockWork === 'share') return this.lock.share(session, reply);
    if (lockWork === 'unlock') this.lock.release(session);
    reply();
  }

  private run(session: Session, bytes: Buffer): void {
    for (const name of ['rookery_carry(', 'INTO rookery_kept_events'])
      if (bytes.includes(name)) session.writes.add(name);
    const sent: Buffer[] = [];
    for (const message of this.postgres.run(bytes, this.microseconds)) {
      if (message.type === 'A') this.notify(channelOf(message), message.bytes);
      else sent.push(message.bytes);
      if (message.type === 'Z') this.isReady(session, String.fromCharCode(message.bytes[5]!));
    }
    if (session.isOpen) session.down(Buffer.concat(sent));
  }

  /** @param status of the session: idle, in a transaction, or in a failed one */
  private isReady(session: Session, status: string): void {
    session.isInTransaction = status !== 'I';
    this.holder = session.isInTransaction ? session : undefined;
    if (session.isInTransaction) return;
    const { writes } = session;
    session.writes = new Set();
    if (writes.size > 0) this.committed(writes);
    const { onFree } = this;
    this.onFree = undefined;
    onFree?.();
  }

  private notify(channel: string, bytes: Buffer): void {
    for (const session of this.sessions) if (session.listens.has(channel) && !session.isDeaf) session.down(bytes);
  }

  private get microseconds(): string {
    const { world } = this;
    const milliseconds = world.date - world.party.clockMs;
    return `${milliseconds}${String(Math.floor((world.now % 1) * 1000)).padStart(3, '0')}`;
  }
}
