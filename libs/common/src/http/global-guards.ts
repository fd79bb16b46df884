import { type CanActivate, Logger } from '@nestjs/common';
import type { ApplicationConfig } from '@nestjs/core';

const warned = new WeakSet<ApplicationConfig>();

/** Says once, in one line, that an application's own guards stand before the SDKs. */
export function warnOfGlobalGuards(config: ApplicationConfig): void {
  const names = [
    ...config.getGlobalGuards().map((guard: CanActivate) => guard.constructor.name),
    ...config.getGlobalRequestGuards().map(({ metatype, name }) => metatype?.name ?? String(name)),
  ];
  if (names.length === 0 || warned.has(config)) return;
  warned.add(config);
  new Logger('Rookery').warn(
    `${names.join(', ')}: a global guard stands before Rookery's routes, and the SDKs do not know it. ` +
      'Begin its canActivate with `if (isRookeryRoute(context)) return true;` and then say allowGlobalGuards: true',
  );
}
