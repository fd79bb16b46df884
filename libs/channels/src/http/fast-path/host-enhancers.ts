import type { ApplicationConfig } from '@nestjs/core';

/**
 * Whether the host has global enhancers that Nest would run around our routes. Global filters are ignored: a controller
 * that catches everything itself leaves nothing to them.
 */
export function hasGlobalEnhancers(config: ApplicationConfig): boolean {
  const lists = [
    config.getGlobalGuards(),
    config.getGlobalInterceptors(),
    config.getGlobalPipes(),
    config.getGlobalRequestGuards(),
    config.getGlobalRequestInterceptors(),
    config.getGlobalRequestPipes(),
    // Nest 11 lacks it.
    config.getGlobalPreRequestHooks?.() ?? [],
  ];
  return config.getVersioning() !== undefined || lists.some((list) => list.length > 0);
}
