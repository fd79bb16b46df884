import { Logger } from '@nestjs/common';
import { served } from '../config/checked-configuration.js';
import { readConfig, type ServerConfig } from '../config/config.js';
import { changesText, untakenSettings } from './changes.js';
import type { Served } from './configured-settings.js';

/** Applies new apps and instances to this process or its workers. */
export type Serve = (now: Served) => Promise<void> | void;

/**
 * Reloads the configuration file at SIGHUP. Changes of apps and instances apply at once; other changes are logged,
 * because they need a restart. A faulty file changes nothing.
 */
export class Reload {
  private readonly logger = new Logger('Configuration');
  private current: ServerConfig;
  private latest: Promise<void> = Promise.resolve();
  private start: (serve: Serve) => void = () => {};
  /** Resolves when the server has started; earlier signals wait for it. */
  private readonly started = new Promise<Serve>((resolve) => (this.start = resolve));

  constructor(
    private readonly environment: NodeJS.ProcessEnv,
    private readonly boot: ServerConfig,
  ) {
    this.current = boot;
    if (environment['CONFIG_FILE'])
      process.on('SIGHUP', () => void (this.latest = this.latest.then(() => this.read())));
  }

  /** The server has started. */
  serves(serve: Serve): void {
    this.start(serve);
  }

  private async read(): Promise<void> {
    const serve = await this.started;
    const { logger, current } = this;
    try {
      const config = this.checked();
      await serve({ apps: config.apps, instances: config.instances });
      this.current = config;
      const changes = [
        changesText('apps', current.apps, config.apps),
        changesText('instances', current.instances, config.instances),
      ].filter((text) => text !== undefined);
      logger.log(`CONFIG_FILE was reloaded: ${changes.join('. ') || 'apps and instances are unchanged'}`);
      const untaken = untakenSettings(this.boot, config);
      if (untaken.length > 0) logger.warn(`These changes need a restart: ${untaken.join(', ')}`);
    } catch (error) {
      const text = (error instanceof Error ? error.message : String(error)).replace(/\s*\n\s*/g, ' ');
      logger.error(`CONFIG_FILE was reloaded, and nothing changes: ${text}`);
    }
  }

  private checked(): ServerConfig {
    const config = readConfig(this.environment);
    served(config);
    if (config.isDevelopment && !this.boot.isDevelopment)
      throw new Error('it no longer contains an app. If that is intended, write "apps": []');
    return config;
  }
}
