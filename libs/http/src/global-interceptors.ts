import type { ApplicationConfig } from '@nestjs/core';

/** Whether the application has global interceptors, of whatever scope. */
export const hasGlobalInterceptors = (config: ApplicationConfig): boolean =>
  config.getGlobalInterceptors().length + config.getGlobalRequestInterceptors().length > 0;
