import type { ApplicationConfig } from '@nestjs/core';
import type { HostingOptions } from './hosting.options.js';

/** The prefix of a module's paths: the application's global prefix if `useGlobalPrefix` is set. */
export function basePath(config: ApplicationConfig, { useGlobalPrefix }: HostingOptions): string {
  const prefix = useGlobalPrefix ? config.getGlobalPrefix().replace(/^\/+|\/+$/g, '') : '';
  return prefix && `/${prefix}`;
}
