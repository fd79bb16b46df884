import { Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { type App, Apps } from 'rookery/channels';
import { describedChannels } from 'rookery/internal/channels';
import { describesApi, describing, RookeryController } from '#http';
import { invalidLink, notByGet, notificationNotFound } from '../notifications.errors.js';
import { NotificationsService } from '../notifications.service.js';
import { idIn } from '../read-links.js';

const { answer, inPath, may, nothing, text } = describing;
const { fault, textRefusal, unavailable } = describedChannels;

/** Its token is the permission, so the request is not signed. */
const Link = describesApi(() => ({
  security: [],
  parameters: [inPath('appId', 'The id of the app', text, 'app-id'), may('token', 'The token in readUrl')],
  refusals: [textRefusal(invalidLink()), textRefusal(notificationNotFound()), fault, unavailable],
}));

/** The read links, called by pages of any origin. There is no guard: the token is the permission. */
@RookeryController('apps/:appId/notifications/read')
export class ReadLinkController {
  constructor(
    private readonly apps: Apps,
    private readonly notifications: NotificationsService,
  ) {}

  /** Programs that preview links or prefetch them use GET, which must change nothing (RFC 9110 §9.2.1). */
  @Get()
  byGet(): never {
    throw notByGet();
  }

  @Post()
  @HttpCode(200)
  @Link('Mark a notification as read, from a page of the user', () => ({
    answers: answer('Marked as read', nothing, {}),
  }))
  async read(@Param('appId') appId: string, @Query('token') token: unknown): Promise<Record<string, never>> {
    const app = await this.appOf(appId);
    await this.notifications.read(idIn(app, token, Date.now()), app);
    return {};
  }

  @Delete()
  @Link('Delete a notification, from a page of the user', () => ({ answers: answer('Deleted', nothing, {}) }))
  async delete(@Param('appId') appId: string, @Query('token') token: unknown) {
    const app = await this.appOf(appId);
    await this.notifications.delete(idIn(app, token, Date.now()), app);
    return {};
  }

  private async appOf(appId: string): Promise<App> {
    const app = await this.apps.findById(appId);
    if (!app?.enabled) throw invalidLink();
    return app;
  }
}
