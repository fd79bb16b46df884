import { Injectable } from '@nestjs/common';
import { type App, Apps } from 'rookery/channels';
import { notFound } from '../console.errors.js';
import { Looks } from '../watch/looks.js';

/** The app that a path names; from then on somebody looks at it. */
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

  /** The same, when all processes trace what happens in it. @throws ConsoleError 404 */
  async findTraced(id: string): Promise<App> {
    const app = await this.apps.findById(id);
    if (!app) throw notFound('The app');
    await this.looks.at(app.id);
    return app;
  }
}
