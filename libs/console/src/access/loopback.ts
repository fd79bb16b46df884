import type { PlatformRequest } from '#common';
import { forbidden } from '../console.errors.js';
import { type ConsoleRequest, peerOf } from './console-request.js';

const loopbackAddress = /^(127\.|::1$|::ffff:127\.)/;
const loopbackName = /^(localhost|[\w-]+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;

/** Headers that proxies add; the client behind a proxy may be anywhere. */
const forwarding = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'] as const;

/**
 * With DNS rebinding, a foreign name points to this machine, but the browser still sends that name in `Host`.
 * @throws ConsoleError 403 unless the request was made on this machine, to this machine
 */
export function checkLoopback(request: ConsoleRequest & PlatformRequest): void {
  const isHere =
    loopbackAddress.test(peerOf(request)) &&
    loopbackName.test(request.headers.host ?? '') &&
    forwarding.every((name) => request.headers[name] === undefined);
  if (!isHere)
    throw forbidden(
      'Without a password the console is for this machine alone: open it by http://localhost, or set CONSOLE_PASSWORD.',
    );
}
