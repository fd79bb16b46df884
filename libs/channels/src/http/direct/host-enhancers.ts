import type { ApplicationConfig } from '@nestjs/core';

/**
 * Whether the host has set up anything that Nest's pipeline would run around our routes. Global filters are not asked
 * for: a controller that catches everything itself leaves them nothing.
 */
export function hasGlobalEnhancers(config: ApplicationConfig): boolean {
  const lists = [
    config.getGlobalGuards(),
    config.getGlobalInterceptors(),
    config.getGlobalPipes(),
    config.getGlobalRequestGuards(),
    config.getGlobalRequestInterceptors(),
    config.getGlobalRequestPipes(),
    // Not in Nest 11.
    config.getGlobalPreRequestHooks?.() ?? [],
  ];
  return config.getVersioning() !== undefined || lists.some((list) => list.length > 0);
}
