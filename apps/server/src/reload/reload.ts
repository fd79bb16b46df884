import { Logger } from '@nestjs/common';
import { served } from '../config/checked-configuration.js';
import { readConfig, type ServerConfig } from '../config/config.js';
import { changesText, untakenSettings } from './changes.js';
import type { Served } from './configured-settings.js';

/** Passes on what is served from now on, to this process or to its workers. */
export type Serve = (now: Served) => Promise<void> | void;

/**
 * Reads the configuration again at SIGHUP, where there is a file of it. Apps and instances are taken up at once; what
 * else has changed is named, since it needs a restart. A file with a fault changes nothing.
 */
export class Reload {
  private readonly logger = new Logger('Configuration');
  private current: ServerConfig;
  private latest: Promise<void> = Promise.resolve();
  private start: (serve: Serve) => void = () => {};
  /** A signal that comes while the server starts waits until it has. */
  private readonly started = new Promise<Serve>((resolve) => (this.start = resolve));

  constructor(
    private readonly environment: NodeJS.ProcessEnv,
    private readonly boot: ServerConfig,
  ) {
    this.current = boot;
    if (environment['CONFIG_FILE'])
      process.on('SIGHUP', () => void (this.latest = this.latest.then(() => this.read())));
  }

  /** The server serves now. */
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
      logger.log(`CONFIG_FILE was read again: ${changes.join('. ') || 'apps and instances are the same'}`);
      const untaken = untakenSettings(this.boot, config);
      if (untaken.length > 0) logger.warn(`Changed, and taken up by a restart only: ${untaken.join(', ')}`);
    } catch (error) {
      const text = (error instanceof Error ? error.message : String(error)).replace(/\s*\n\s*/g, ' ');
      logger.error(`CONFIG_FILE was read again and all stays as it was: ${text}`);
    }
  }

  private checked(): ServerConfig {
    const config = readConfig(this.environment);
    served(config);
    if (config.isDevelopment && !this.boot.isDevelopment)
      throw new Error('it names no app any more. If there is to be none, write "apps": []');
    return config;
  }
}
