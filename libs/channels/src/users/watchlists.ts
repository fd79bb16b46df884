import { Injectable } from '@nestjs/common';
import { PresenceService, type Roster } from 'rookery/presence';
import type { App } from '../app/app.js';
import { afterUndo, allOf } from '../all-of.js';
import { Broker } from '../broker/broker.js';
import { Hub } from '../hub/hub.js';
import { watchlistEvents } from '../protocol/frames.js';
import { sessionsOf, watchersOf } from '../protocol/reserved-channels.js';
import { TransitionOrder } from '../storage/transition-order.js';
import type { Connection } from '../connections/connection.js';

/** Tells signed-in users when the users on their watchlist come online or go offline (channels-wire §3.7). */
@Injectable()
export class Watchlists {
  constructor(
    private readonly hub: Hub,
    private readonly broker: Broker,
    private readonly presence: PresenceService,
    private readonly order: TransitionOrder,
  ) {}

  /** Listens before it reads the state, so no change is lost, and none that the state contains is sent again. */
  async watch(connection: Connection, userIds: readonly string[]): Promise<void> {
    if (userIds.length === 0) return;
    try {
      for (const userId of userIds) await this.hub.prepare(connection, watchersOf(userId));
      const rosters = await this.rostersOf(connection.app, userIds);
      connection.send(statesOf(userIds, rosters));
      for (const [i, { version }] of rosters.entries())
        this.hub.release(connection, watchersOf(userIds[i]!), { version });
    } catch (error) {
      await afterUndo(error, [() => this.unwatch(connection, userIds)]);
    }
  }

  async unwatch(connection: Connection, userIds: readonly string[]): Promise<void> {
    await allOf(userIds.map((userId) => () => this.hub.leave(connection, watchersOf(userId))));
  }

  async announce({ id: appId }: App, userId: string, isPresent: boolean, version: number): Promise<void> {
    const text = watchlistEvents([{ name: isPresent ? 'online' : 'offline', user_ids: [userId] }]);
    const change = { userId, isPresent, version };
    const event = { kind: 'event', appId, channel: watchersOf(userId), text, change } as const;
    if (isPresent) return void (await this.broker.publish(event));
    // Nothing else would tell the watchers: the user is offline already. A sign-in that fails is undone.
    await this.order.insist(
      `${appId} ${userId} is offline`,
      () => this.broker.publish(event),
      () => undefined,
    );
  }

  /** Unlike counts, rosters wait until the shared state is complete again after a loss. */
  private rostersOf({ id: scope }: App, userIds: readonly string[]): Promise<readonly Roster[]> {
    return Promise.all(userIds.map(async (id) => this.presence.roster({ scope, name: sessionsOf(id) })));
  }
}

function statesOf(userIds: readonly string[], rosters: readonly Roster[]): string {
  const isOnline = rosters.map(({ members }) => members.length > 0);
  const events = [
    { name: 'online' as const, user_ids: userIds.filter((_, i) => isOnline[i]) },
    { name: 'offline' as const, user_ids: userIds.filter((_, i) => !isOnline[i]) },
  ];
  return watchlistEvents(events.filter(({ user_ids: ids }) => ids.length > 0));
}
