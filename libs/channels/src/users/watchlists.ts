import { Injectable } from '@nestjs/common';
import { PresenceService, type Room } from 'rookery/presence';
import type { App } from '../access/app.js';
import { allOf } from '../all-of.js';
import { Broker } from '../broker/broker.js';
import { Hub } from '../hub/hub.js';
import { watchlistEvents } from '../protocol/frames.js';
import type { Connection } from '../connections/connection.js';

// The reserved topic on which watchers hear of a user. Clients cannot subscribe to it.
const watchersOf = (userId: string): string => `#watchers-${userId}`;

/** Tells signed-in users when those they watch come online or go offline (channels-wire §3.7). */
@Injectable()
export class Watchlists {
  constructor(
    private readonly hub: Hub,
    private readonly broker: Broker,
    private readonly presence: PresenceService,
  ) {}

  /** Listens first and reads the state then: a change in between is told twice rather than lost. */
  async watch(connection: Connection, userIds: readonly string[], online: Room): Promise<void> {
    if (userIds.length === 0) return;
    for (const userId of userIds) await this.hub.join(connection, watchersOf(userId));
    const present = new Set(await this.presence.present(online, userIds));
    const events = [
      { name: 'online' as const, user_ids: userIds.filter((id) => present.has(id)) },
      { name: 'offline' as const, user_ids: userIds.filter((id) => !present.has(id)) },
    ];
    connection.send(watchlistEvents(events.filter(({ user_ids: ids }) => ids.length > 0)));
  }

  async unwatch(connection: Connection, userIds: readonly string[]): Promise<void> {
    await allOf(...userIds.map((userId) => () => this.hub.leave(connection, watchersOf(userId))));
  }

  async tell({ id: appId }: App, userId: string, isPresent: boolean, version: number): Promise<void> {
    const text = watchlistEvents([{ name: isPresent ? 'online' : 'offline', user_ids: [userId] }]);
    const change = { userId, isPresent, version };
    await this.broker.publish({ kind: 'event', appId, channel: watchersOf(userId), text, change });
  }
}
