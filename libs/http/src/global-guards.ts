import { type CanActivate, HttpException, Logger } from '@nestjs/common';
import type { ApplicationConfig } from '@nestjs/core';

/** The statuses with which guards refuse: an unknown caller, a forbidden one, one that asks too often. */
const refusals = [401, 403, 429];

const warned = new WeakSet<ApplicationConfig>();

/**
 * Warns once of global guards that refuse an SDK. Rookery's own refusals on its routes are no HttpExceptions, and a
 * boot cannot tell guards that refuse from those that let all requests pass.
 *
 * @param request such as `POST /apps/3/events`
 */
export function warnOfGlobalGuards(config: ApplicationConfig, module: string, request: string, error: unknown): void {
  if (!(error instanceof HttpException) || !refusals.includes(error.getStatus()) || warned.has(config)) return;
  const names = [
    ...config.getGlobalGuards().map((guard: CanActivate) => nameOf(guard)),
    ...config.getGlobalRequestGuards().map(({ metatype, name }) => metatype?.name ?? String(name)),
  ];
  if (names.length === 0) return;
  warned.add(config);
  new Logger('Rookery').warn(
    `${request} was answered ${error.getStatus()} by a global guard of the application (${names.join(', ')}), which the ` +
      'SDKs cannot pass. Begin its canActivate with `if (isRookeryRoute(context)) return true;`, for ThrottlerGuard by ' +
      `skipIf: isRookeryRoute; or, if it is on purpose, set ${module}.forRoot({ allowGlobalGuards: true })`,
  );
}

const nameOf = (guard: object): string =>
  Object.getPrototypeOf(guard) === Object.prototype ? 'an object without a class' : guard.constructor.name;
