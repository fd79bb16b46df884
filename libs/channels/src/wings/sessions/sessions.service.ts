import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { historyOf } from '../../app/history-rule.js';
import { Broker, type Position, type Topic } from '../../broker/broker.js';
import { ChannelsSettings } from '../../channels.options.js';
import type { Connection } from '../../connections/connection.js';
import { gapBefore, type Session, sessions } from '../../connections/session.js';
import type { ChannelObserver } from '../../hub/channel-observer.js';
import { Hub } from '../../hub/hub.js';
import { ChannelsMetrics } from '../../metrics.js';
import { ProtocolError } from '../../protocol/protocol-error.js';
import { mayBeForgotten } from '../../storage/session-age.js';
import { hasSaved, SessionRepository } from '../../storage/session.repository.js';
import { SessionPings } from './session-pings.js';

/** What earlier connections of a session missed on a channel. */
export interface Missed {
  /** The position up to which they received the channel's events. */
  readonly since: Position;
  /** Whether they may have missed events before that position, and have not acknowledged the report of it. */
  readonly hasGap: boolean;
}

/** Tracks what clients with a session have received, and saves it for their next connection (channels-wire §12). */
@Injectable()
export class SessionsService implements ChannelObserver, OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Channels');
  private renewal: NodeJS.Timeout | undefined;

  constructor(
    private readonly repository: SessionRepository,
    private readonly broker: Broker,
    private readonly hub: Hub,
    private readonly pings: SessionPings,
    private readonly settings: ChannelsSettings,
    private readonly metrics: ChannelsMetrics,
  ) {}

  /** Keeps the sessions of idle connections from being forgotten. */
  onModuleInit(): void {
    this.hub.observe(this);
    const everyMs = this.settings.sessions.keepSeconds * 250;
    this.renewal = setInterval(() => this.renew(), everyMs).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.renewal);
  }

  /**
   * Adds a connection to its session, before the client is greeted. It takes the session with its first save, once the
   * client uses it: a client that has left before the greeting may have a newer connection, which keeps it.
   * @throws ProtocolError 4100 when the client's network begins too many
   */
  async open(connection: Connection): Promise<void> {
    const session = sessions.of(connection);
    if (!session) return;
    const { socketId, network } = connection;
    if (network?.take('newSessions')) {
      this.metrics.limitReached('newSessionsPerAddress');
      throw ProtocolError.tooManySessions();
    }
    const { keepSeconds } = this.settings.sessions;
    const saved = await this.repository.open(session.name, socketId, keepSeconds);
    if (saved) network?.add('newSessions', -1);
    if ((!saved || !hasSaved(saved)) && mayBeForgotten(session.name, keepSeconds))
      session.resume({ socketIds: [], positions: [], ...saved, isLost: true });
    else if (saved) session.resume(saved);
  }

  /**
   * Called once the channel's messages are held for a connection: of these, it gets those published from now on, and
   * they may be replayed to it later.
   * @param userId of the member, on presence channels, or of the user whose channel it is
   * @returns what earlier connections of the session missed, if there were any
   */
  async join(connection: Connection, channel: string, userId: string | undefined): Promise<Missed | undefined> {
    const { app, user } = connection;
    const session = sessions.of(connection);
    if (!session?.isCurrent || !historyOf(app, channel, this.settings.limits)) return undefined;
    const of = user?.id ?? userId;
    session.isProven = true;
    if (of !== undefined) session.isOf(of);
    const missedSince = session.missedSince(channel);
    if (missedSince !== undefined) {
      if (!session.isTaken) await this.save(connection, session);
      return missedFrom(missedSince);
    }
    const { now } = await this.broker.history(app.id, channel, 0);
    session.join(channel, now);
    await this.save(connection, session);
    if (session.isPingDue) this.pings.add(connection);
    return session.isLost ? { since: now, hasGap: true } : undefined;
  }

  /** The client unsubscribed from a channel: its events are not replayed later. */
  leave(connection: Connection, channel: string): void {
    const session = sessions.of(connection);
    if (!session) return;
    session.isProven = true;
    session.leave(channel);
    this.saveSoon(connection, session);
  }

  signedIn(connection: Connection, userId: string): void {
    const session = sessions.of(connection);
    if (!session || session.userId === userId) return;
    session.isProven = true;
    session.isOf(userId);
    this.saveSoon(connection, session);
  }

  /** The client answered a ping. */
  ponged(connection: Connection): void {
    const session = sessions.of(connection);
    if (!session) return;
    session.stays();
    if (session.hasUnsaved) this.saveSoon(connection, session);
    if (session.isPingDue && !connection.owesAnswers) this.pings.add(connection);
  }

  /** Clients with a session are closed with 4200: they get what they miss when they reconnect. */
  lost(topic: Topic): void {
    for (const connection of this.hub.on(topic))
      if (sessions.of(connection) && historyOf(connection.app, topic.channel, this.settings.limits))
        connection.close(ProtocolError.reconnect());
  }

  private renew(): void {
    for (const connection of this.hub.connections) {
      const session = sessions.of(connection);
      if (session?.isCurrent) this.saveSoon(connection, session);
    }
  }

  /** A failed save is repeated with the next one; until then, the client would receive the events twice. */
  private saveSoon(connection: Connection, session: Session): void {
    this.save(connection, session).catch((error: unknown) =>
      this.logger.warn(`The positions of connection ${connection.socketId} were not saved: ${String(error)}`),
    );
  }

  /** One call at a time, so that no call overtakes another. */
  private async save(connection: Connection, session: Session): Promise<void> {
    do {
      session.saving ??= this.saveOnce(connection, session).finally(() => (session.saving = undefined));
      await session.saving;
    } while (session.hasUnsaved);
  }

  private async saveOnce(connection: Connection, session: Session): Promise<void> {
    const { socketId } = connection;
    const { keepSeconds } = this.settings.sessions;
    const positions = session.takeUnsaved();
    const { userId, isProven } = session;
    const changes = userId === undefined || !isProven ? { positions } : { positions, userId };
    try {
      const outcome = await this.repository.save(session.name, socketId, changes, keepSeconds);
      if (outcome === 'taken') session.isCurrent = false;
      if (outcome === 'saved') session.wasSaved(changes);
      if (outcome !== 'forgotten') return;
      // Its client may have another connection by now, which remains the later one.
      const found = await this.repository.open(session.name, socketId, keepSeconds, session.socketIds);
      if (!found?.isLost) return session.saveAll();
      session.forgotten();
      if (session.isPingDue) this.pings.add(connection);
    } catch (error) {
      session.putBack(positions);
      throw error;
    }
  }
}

function missedFrom(position: Position): Missed {
  const hasGap = position.startsWith(gapBefore);
  return { since: hasGap ? position.slice(gapBefore.length) : position, hasGap };
}
