import { Injectable, Logger } from '@nestjs/common';
import { ThisNode } from '#common';
import { PresenceService, type Room } from 'rookery/presence';
import { requestsOf } from '../protocol/reserved-channels.js';
import { TransitionOrder } from '../storage/transition-order.js';

/**
 * A connection over HTTP lives in one process, but its requests may reach any process. The process that opens it is the
 * only member of a presence room of the connection's name.
 */
@Injectable()
export class ConnectionOwners {
  private readonly logger = new Logger('Channels');

  constructor(
    private readonly presence: PresenceService,
    private readonly order: TransitionOrder,
    private readonly node: ThisNode,
  ) {}

  /**
   * Makes this process the owner of a connection, unless it has one.
   * @returns the owner's node; undefined when it has just released the connection
   */
  async claim(appId: string, name: string): Promise<string | undefined> {
    const { id } = this.node;
    const room = roomOf(appId, name);
    // Made after the claim, a release that is repeated would take the connection away again.
    await this.order.repeatOf(subjectOf(room));
    const { outcome } = await this.presence.join(room, id, { userId: id }, 1);
    return outcome === 'full' ? this.find(appId, name) : id;
  }

  release(appId: string, name: string): void {
    const room = roomOf(appId, name);
    this.order
      .insist(
        subjectOf(room),
        () => this.presence.leave(room, this.node.id),
        () => undefined,
      )
      .catch((error: unknown) =>
        this.logger.warn(`Connection ${name} of app ${appId} was not released: ${String(error)}`),
      );
  }

  /** The node of the process that owns the connection, if any. */
  async find(appId: string, name: string): Promise<string | undefined> {
    const { members } = await this.presence.roster(roomOf(appId, name));
    return members[0]?.userId;
  }
}

const subjectOf = ({ scope, name }: Room): string => `${scope} ${name}`;

const roomOf = (appId: string, name: string): Room => ({ scope: appId, name: requestsOf(name) });
