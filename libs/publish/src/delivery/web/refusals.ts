import { Logger } from '@nestjs/common';
import type { Answer } from '#common';
import type { Notification } from '../push.gateway.js';

/** Limits the log lines per publish, because any client can register endpoints. */
const mostOriginsLogged = 10;

/** Logs, once per push service, that it refuses the VAPID keys of a publish's instance. */
export class Refusals {
  private readonly logger = new Logger('WebPushGateway');
  private readonly origins = new Set<string>();

  constructor(private readonly notification: Notification) {}

  note(origin: string, { status }: Answer): void {
    if (status !== 400 && status !== 401 && status !== 403) return;
    if (this.origins.size >= mostOriginsLogged || this.origins.has(origin)) return;
    this.origins.add(origin);
    const { publishId, instance } = this.notification;
    this.logger.warn(
      `${origin} answers ${status} to ${publishId}: the VAPID keys or subject of instance ${instance.id} are wrong, ` +
        'or not the ones with which its browsers subscribed',
    );
  }
}
