import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { App } from '../access/app.js';
import { Apps } from '../access/apps.js';
import type { Connection } from '../connections/connection.js';
import { Hub } from '../hub/hub.js';
import { ProtocolError } from '../protocol/protocol-error.js';

/** So many connections are closed before others get their turn. */
const closedAtOnce = 1000;

/**
 * Takes changes of apps to their open connections: what an app allows holds at once, and the clients of one that is
 * disabled or gone are closed. Who may connect, and how, is asked of those who connect later.
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
    // Closed connections leave the set; new ones already have the new app.
    for (const connection of this.hub.connections) {
      const { id } = connection.app;
      if (found.has(id) && changeApp(connection, found.get(id)) && ++closed % closedAtOnce === 0) await nextTurn();
    }
  }

  private failed(ids: readonly string[], error: unknown): void {
    this.logger.error(`Open connections of ${ids.join(', ')} keep the settings from before: ${String(error)}`);
  }
}

/** Gives a connection its app as it is by now; answers whether that closes it. */
export function changeApp(connection: Connection, app: App | undefined): boolean {
  if (app && app !== connection.app) {
    connection.app = app;
    // It counts with the limit that it was made with.
    connection.clientEvents = undefined;
  }
  if (app?.enabled) return false;
  connection.close(app ? ProtocolError.disabledApp() : ProtocolError.removedApp());
  return true;
}
