import type { Type } from '@nestjs/common';
import {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  PIPES_METADATA,
} from '@nestjs/common/constants.js';
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

/** Whether anything but our own guard and filter was put on a controller or its method. */
export function isEnhanced(controller: Type, method: object, guard: Type, filter: Type): boolean {
  const of = (key: string, target: object): unknown[] =>
    (Reflect.getMetadata(key, target) as unknown[] | undefined) ?? [];
  const isOnly = (key: string, expected: readonly unknown[]): boolean => {
    const found = [...of(key, controller), ...of(key, method)];
    return found.length === expected.length && found.every((each, i) => each === expected[i]);
  };
  return !(
    isOnly(GUARDS_METADATA, [guard]) &&
    isOnly(EXCEPTION_FILTERS_METADATA, [filter]) &&
    isOnly(INTERCEPTORS_METADATA, []) &&
    isOnly(PIPES_METADATA, [])
  );
}
