import type { FactoryProvider, InjectionToken } from '@nestjs/common';
import { ApplicationConfig } from '@nestjs/core';
import type { HostingOptions } from './hosting.options.js';

/** Settings with a further prefix of the paths; empty for none. */
interface Prefixed {
  readonly path: string;
}

/** The prefixes of a module's paths. Read them late: hosts set their global prefix late. */
export class PathPrefixes {
  constructor(
    private readonly config: ApplicationConfig,
    private readonly hosting: HostingOptions,
    private readonly prefixed?: Prefixed,
  ) {}

  /** `options` is the token of the module's options, `prefixed` that of the settings whose `path` is a second prefix. */
  static of(options: InjectionToken, prefixed?: InjectionToken<Prefixed>): FactoryProvider<PathPrefixes> {
    return {
      provide: PathPrefixes,
      inject: [ApplicationConfig, options, ...(prefixed ? [prefixed] : [])],
      useFactory: (config: ApplicationConfig, hosting: HostingOptions, further?: Prefixed) =>
        new PathPrefixes(config, hosting, further),
    };
  }

  /** The prefix of every path in documents and links: the application's global prefix if `useGlobalPrefix` is set. */
  get base(): string {
    const prefix = this.hosting.useGlobalPrefix ? this.config.getGlobalPrefix().replace(/^\/+|\/+$/g, '') : '';
    return prefix && `/${prefix}`;
  }

  /** All prefixes under which the routes are served: `base` and the second one. */
  get all(): readonly string[] {
    const { base } = this;
    return [...new Set([base, this.prefixed?.path || base])];
  }
}
