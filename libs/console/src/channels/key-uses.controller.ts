import { Get } from '@nestjs/common';
import type { App } from 'rookery/channels';
import { ConsoleController } from '../access/console.guard.js';
import type { KeyUse, KeyUses } from '../contract/index.js';
import { Processes } from '../processes/processes.js';
import { InApp } from './app-in-path.js';

/** `GET /console/api/apps/:app/keys`: how the app's keys are used, by all processes. */
@ConsoleController('apps/:app/keys')
export class KeyUsesController {
  constructor(private readonly processes: Processes) {}

  @Get()
  async all(@InApp() app: App): Promise<KeyUses> {
    const { answers, missing } = await this.processes.read('keyUses', { appId: app.id, keys: keysOf(app) });
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
