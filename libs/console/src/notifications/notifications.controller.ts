import { Get, Optional, Query } from '@nestjs/common';
import { StatusError } from 'rookery/internal/http';
import { type NotificationRecord, NotificationsService } from 'rookery/notifications';
import { ConsoleController } from '../access/console.guard.js';
import type { App } from 'rookery/channels';
import { InApp } from '../channels/app-in-path.js';
import { pageOf, pageSize, placeIn } from '../page.js';
import type { Notification, Notifications, PushOutcome } from '../contract/index.js';
import { ConsoleSettings } from '../console.options.js';
import { PushServices } from '../push/push-services.js';
import { titleOf } from '../push/title.js';
import { outcomeOf } from './push-outcome.js';

/** `/console/api/apps/:app/notifications` */
@ConsoleController('apps/:app/notifications')
export class ConsoleNotificationsController {
  constructor(
    private readonly settings: ConsoleSettings,
    private readonly push: PushServices,
    @Optional() private readonly service?: NotificationsService,
  ) {}

  @Get()
  async list(
    @InApp() app: App,
    @Query('user') user: unknown,
    @Query('cursor') cursor: unknown,
  ): Promise<Notifications> {
    const instance = this.service?.instanceOf(app);
    if (!this.service || instance === undefined) return { isOn: false, instance: null, notifications: [], next: null };
    const before = placeIn(cursor, 'createdAt', /^[\da-f-]{36}$/);
    const query = { ...(typeof user === 'string' && user !== '' && { userId: user }), ...(before && { before }) };
    const found = await this.service.latest(pageSize + 1, query, app);
    const { rows, next } = pageOf(found, ({ createdAt, id: last }) => `${createdAt}_${last}`);
    const notifications = await Promise.all(
      rows.map(async (record) => shown(record, await this.outcome(instance, record), this.settings.hidePayloads)),
    );
    return { isOn: true, instance, notifications, next };
  }

  private async outcome(instance: string, { publishId }: NotificationRecord): Promise<PushOutcome | null> {
    if (publishId === undefined) return null;
    // Not found: a publish is forgotten before its notification where `retentionMs` is shorter.
    try {
      return outcomeOf(await this.push.parts.publishes.status(instance, publishId));
    } catch (error) {
      if (error instanceof StatusError && error.status === 404) return null;
      throw error;
    }
  }
}

function shown(record: NotificationRecord, outcome: PushOutcome | null, hidePayloads: boolean): Notification {
  const { id, userId, event, push, createdAt, pushAt = null, shownAt = null, pushedAt = null } = record;
  const { publishId = null, skippedAt = null, readAt = null, withdrawnAt = null } = record;
  return {
    id,
    at: createdAt,
    userId,
    name: event.name,
    data: hidePayloads ? null : event.data,
    title: hidePayloads || !push ? null : titleOf(push),
    pushAt,
    shownAt,
    pushedAt,
    publishId,
    skippedAt,
    readAt,
    withdrawnAt,
    push: outcome,
  };
}
