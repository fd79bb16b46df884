import { type CanActivate, Logger } from '@nestjs/common';
import type { ApplicationConfig } from '@nestjs/core';

const modulesOf = new WeakMap<ApplicationConfig, Set<string>>();

/** Notes that a module serves routes before which global guards would stand. */
export function standsBehindGuards(config: ApplicationConfig, module: string): void {
  modulesOf.set(config, (modulesOf.get(config) ?? new Set()).add(module));
}

/** Says once, in one line, before the routes of which modules an application's own guards stand. */
export function warnOfGlobalGuards(config: ApplicationConfig): void {
  const names = [
    ...config.getGlobalGuards().map((guard: CanActivate) => guard.constructor.name),
    ...config.getGlobalRequestGuards().map(({ metatype, name }) => metatype?.name ?? String(name)),
  ];
  const modules = [...(modulesOf.get(config) ?? [])];
  modulesOf.delete(config);
  if (names.length === 0 || modules.length === 0) return;
  new Logger('Rookery').warn(
    `${names.join(', ')}: a global guard stands before the routes of ${modules.join(', ')}, and the SDKs do not know ` +
      'it. Begin its canActivate with `if (isRookeryRoute(context)) return true;` and then say ' +
      modules.map((module) => `${module}.forRoot({ allowGlobalGuards: true })`).join(', '),
  );
}
