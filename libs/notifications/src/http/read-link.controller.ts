import { Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { type App, Apps } from 'rookery/channels';
import { RookeryController } from '#http';
import { invalidLink } from '../notifications.errors.js';
import { NotificationsService } from '../notifications.service.js';
import { idIn } from '../read-links.js';

/** The read links, called by pages of any origin. There is no guard: the token is the permission. */
@RookeryController('apps/:appId/notifications/read')
export class ReadLinkController {
  constructor(
    private readonly apps: Apps,
    private readonly notifications: NotificationsService,
  ) {}

  @Get()
  byGet(@Param('appId') appId: string, @Query('token') token: unknown) {
    return this.read(appId, token);
  }

  @Post()
  @HttpCode(200)
  byPost(@Param('appId') appId: string, @Query('token') token: unknown) {
    return this.read(appId, token);
  }

  @Delete()
  async delete(@Param('appId') appId: string, @Query('token') token: unknown) {
    const app = await this.appOf(appId);
    await this.notifications.delete(idIn(app, token, Date.now()), app);
    return {};
  }

  private async read(appId: string, token: unknown): Promise<Record<string, never>> {
    const app = await this.appOf(appId);
    await this.notifications.read(idIn(app, token, Date.now()), app);
    return {};
  }

  private async appOf(appId: string): Promise<App> {
    const app = await this.apps.findById(appId);
    if (!app?.enabled) throw invalidLink();
    return app;
  }
}
