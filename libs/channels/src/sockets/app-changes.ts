import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { App } from '../app/app.js';
import { Apps } from '../access/apps.js';
import type { Connection } from '../connections/connection.js';
import { clientEventRates } from '../events/client-events.js';
import { Hub } from '../hub/hub.js';
import { ProtocolError } from '../protocol/protocol-error.js';

/** How many connections are closed before the event loop gets a turn. */
const closedAtOnce = 1000;

/**
 * Applies changes of apps to their open connections: new limits and permissions take effect at once, and connections of
 * an app that is disabled or deleted are closed. Rules about who may connect apply only to later connections.
 */
@Injectable()
export class AppChanges implements OnModuleInit {
  private readonly logger = new Logger('Apps');

  constructor(
    private readonly apps: Apps,
    private readonly hub: Hub,
  ) {}

  onModuleInit(): void {
    this.apps.watch((ids) => void this.follow(ids).catch((error: unknown) => this.failed(ids, error)));
  }

  private async follow(ids: readonly string[]): Promise<void> {
    const found = new Map<string, App | undefined>();
    for (const id of ids) found.set(id, await this.apps.findById(id));
    let closed = 0;
    // Closed connections leave the set; connections opened meanwhile already have the new app.
    for (const connection of this.hub.connections) {
      const { id } = connection.app;
      if (found.has(id) && changeApp(connection, found.get(id)) && ++closed % closedAtOnce === 0) await nextTurn();
    }
  }

  private failed(ids: readonly string[], error: unknown): void {
    this.logger.error(`Open connections of ${ids.join(', ')} keep their previous settings: ${String(error)}`);
  }
}

/** Gives a connection the current settings of its app. Answers whether that closes the connection. */
export function changeApp(connection: Connection, app: App | undefined): boolean {
  if (app && app !== connection.app) {
    connection.app = app;
    // The counter was created with the previous limit.
    clientEventRates.clear(connection);
  }
  if (app?.enabled) return false;
  connection.close(app ? ProtocolError.disabledApp() : ProtocolError.removedApp());
  return true;
}
