import { type CanActivate, Logger } from '@nestjs/common';
import type { ApplicationConfig } from '@nestjs/core';

const modulesOf = new WeakMap<ApplicationConfig, Set<string>>();

/** Records that global guards would run before a module's routes. */
export function standsBehindGuards(config: ApplicationConfig, module: string): void {
  modulesOf.set(config, (modulesOf.get(config) ?? new Set()).add(module));
}

/** Warns once, in one line, which modules' routes the application's global guards block. */
export function warnOfGlobalGuards(config: ApplicationConfig): void {
  const names = [
    ...config.getGlobalGuards().map((guard: CanActivate) => guard.constructor.name),
    ...config.getGlobalRequestGuards().map(({ metatype, name }) => metatype?.name ?? String(name)),
  ];
  const modules = [...(modulesOf.get(config) ?? [])];
  modulesOf.delete(config);
  if (names.length === 0 || modules.length === 0) return;
  new Logger('Rookery').warn(
    `${names.join(', ')}: a global guard runs before the routes of ${modules.join(', ')}, and the SDKs cannot pass ` +
      'it. Begin its canActivate with `if (isRookeryRoute(context)) return true;` and then set ' +
      modules.map((module) => `${module}.forRoot({ allowGlobalGuards: true })`).join(', '),
  );
}
