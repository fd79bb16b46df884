import type { ApplicationConfig } from '@nestjs/core';
import type { HostingOptions } from './hosting.options.js';

/** What stands before the paths of a module: the application's global prefix where the module is told so. */
export function basePath(config: ApplicationConfig, { useGlobalPrefix }: HostingOptions): string {
  const prefix = useGlobalPrefix ? config.getGlobalPrefix().replace(/^\/+|\/+$/g, '') : '';
  return prefix && `/${prefix}`;
}
