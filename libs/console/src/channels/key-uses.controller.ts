import { Get, type OnApplicationBootstrap } from '@nestjs/common';
import { type App, Apps, NodeRpc, nodeSubject, OpenConnections } from 'rookery/internal/channels';
import { ConsoleController } from '../access/console.guard.js';
import { InApp } from './app-in-path.js';
import type { KeyUse, KeyUses } from '../contract/index.js';

const keyUses = nodeSubject<{ readonly appId: string; readonly keys: readonly string[] }, Omit<KeyUses, 'missing'>>(
  'console.keyUses',
);

/** `GET /console/api/apps/:app/keys`: how the app's keys are used, by all processes. */
@ConsoleController('apps/:app/keys')
export class KeyUsesController implements OnApplicationBootstrap {
  constructor(
    private readonly apps: Apps,
    private readonly connections: OpenConnections,
    private readonly calls: NodeRpc,
  ) {}

  onApplicationBootstrap(): void {
    this.calls.on(keyUses, ({ appId, keys }) => {
      const counts = this.connections.byKey(appId);
      const useOf = (key: string): KeyUse => {
        const usedAt = this.apps.keysUsedAt.get(key);
        return { connections: counts.get(key) ?? 0, usedAt: usedAt === undefined ? null : usedAt * 1000 };
      };
      return {
        since: Math.round(performance.timeOrigin),
        keys: Object.fromEntries(keys.map((key) => [key, useOf(key)])),
      };
    });
  }

  @Get()
  async all(@InApp() app: App): Promise<KeyUses> {
    const { answers, missing } = await this.calls.askAll(keyUses, { appId: app.id, keys: keysOf(app) });
    const uses = answers.map(({ answer }) => answer);
    const total = (key: string): KeyUse => ({
      connections: uses.reduce((sum, { keys }) => sum + (keys[key]?.connections ?? 0), 0),
      usedAt: Math.max(...uses.map(({ keys }) => keys[key]?.usedAt ?? 0)) || null,
    });
    return {
      since: Math.max(...uses.map(({ since }) => since)),
      missing,
      keys: Object.fromEntries(keysOf(app).map((key) => [key, total(key)])),
    };
  }
}

const keysOf = ({ key, keys }: App): readonly string[] => [...new Set([key, ...keys.map((each) => each.key)])];
