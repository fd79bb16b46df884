import { Injectable } from '@nestjs/common';
import { type App, Apps } from 'rookery/channels';
import { notFound } from '../console.errors.js';
import { Looks } from '../watch/looks.js';

/** The app that a path names; the lookup starts watching it. */
@Injectable()
export class AppInPath {
  constructor(
    private readonly apps: Apps,
    private readonly looks: Looks,
  ) {}

  /** @throws ConsoleError 404 */
  async find(id: string): Promise<App> {
    const app = await this.apps.findById(id);
    if (!app) throw notFound('The app');
    void this.looks.at(app.id)?.catch(() => undefined);
    return app;
  }

  /** As above, once all processes trace the app. @throws ConsoleError 404 */
  async findTraced(id: string): Promise<App> {
    const app = await this.apps.findById(id);
    if (!app) throw notFound('The app');
    await this.looks.at(app.id);
    return app;
  }
}
