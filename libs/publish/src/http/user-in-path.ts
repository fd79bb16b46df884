import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { messageOf, type PlatformRequest, requestIn, RouteNotFound } from '#http';
import { maxUserIdLength } from 'rookery/internal/push-device';
import { pathBefore } from '../access/path-before.js';
import { userIdTooLong } from '../publish.errors.js';

/** beams-wire §3.2: these SDKs write a space as `+`; the others send a real `+` raw. */
const plusIsSpace = /^pusher-push-notifications-(php|ruby|server-java)\b/i;

/** The user of `…/users/<id>`, or of `…/users/<id>/devices` in a GET. Some SDKs leave slashes in it unescaped. */
function userIn(request: PlatformRequest): string {
  const { method, url = '', headers } = messageOf(request);
  const [path = ''] = url.split('?');
  const end = path.slice(path.indexOf('/users/') + '/users/'.length);
  const written = method === 'GET' ? pathBefore('/devices', end) : end;
  const library = String(headers['x-pusher-library'] ?? '');
  return decodeURIComponent(plusIsSpace.test(library) ? written.replaceAll('+', ' ') : written);
}

/** Refuses a user id that is too long; an empty one matches no route. */
@Injectable()
export class UserInPathGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const user = userIn(requestIn(context));
    if (Array.from(user).length > maxUserIdLength) throw userIdTooLong();
    if (user === '') throw new RouteNotFound();
    return true;
  }
}

/** The user that the path names, as a parameter of a controller's method. */
export const UserInPath = createParamDecorator((_: unknown, context: ExecutionContext) => userIn(requestIn(context)));
