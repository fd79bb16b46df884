import { messageOf, type PlatformRequest } from 'rookery/common';
import { maxUserIdLength } from 'rookery/push-device';
import { userIdTooLong } from './errors.js';

/** beams-wire §3.2: these SDKs write a space as `+`; the others send a real `+` raw. */
const plusIsSpace = /^pusher-push-notifications-(php|ruby|server-java)\b/i;

/** The user named at the end of `…/users/<id>`, whatever it contains: some SDKs leave a slash in it as it is. */
export function userInPath(request: PlatformRequest): string {
  const { url = '', headers } = messageOf(request);
  const [path = ''] = url.split('?');
  const written = path.slice(path.indexOf('/users/') + '/users/'.length);
  const library = String(headers['x-pusher-library'] ?? '');
  const user = decodeURIComponent(plusIsSpace.test(library) ? written.replaceAll('+', ' ') : written);
  if (Array.from(user).length > maxUserIdLength) throw userIdTooLong();
  return user;
}
