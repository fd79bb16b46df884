import { Injectable } from '@nestjs/common';
import { type App, Apps } from 'rookery/channels';
import { notFound } from '../console.errors.js';
import { LiveViews } from '../watch/live-views.js';

/** The app that a path names; the lookup starts watching it. */
@Injectable()
export class AppInPath {
  constructor(
    private readonly apps: Apps,
    private readonly liveViews: LiveViews,
  ) {}

  /** @throws ConsoleError 404 */
  async find(id: string): Promise<App> {
    const app = await this.apps.findById(id);
    if (!app) throw notFound('The app');
    void this.liveViews.at(app.id)?.catch(() => undefined);
    return app;
  }

  /** As above, once all processes trace the app. @throws ConsoleError 404 */
  async findTraced(id: string): Promise<App> {
    const app = await this.apps.findById(id);
    if (!app) throw notFound('The app');
    await this.liveViews.at(app.id);
    return app;
  }
}
