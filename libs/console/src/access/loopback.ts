import type { PlatformRequest } from 'rookery/common';
import { forbidden } from '../console.errors.js';
import { type ConsoleRequest, peerOf } from './console-request.js';

const loopbackAddress = /^(127\.|::1$|::ffff:127\.)/;
const loopbackName = /^(localhost|[\w-]+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;

/** Whoever forwards requests says so; the one whom it speaks for may be anywhere. */
const forwarding = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'] as const;

/**
 * A name that leads to this machine for a moment (DNS rebinding) is still in the `Host` that the browser sends.
 * @throws ConsoleError 403 for a request that was not made on this machine, to this machine
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
