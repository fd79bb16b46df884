import { Injectable } from '@nestjs/common';
import { type App, Apps } from 'rookery/channels';
import { notFound } from '../console.errors.js';

/** The app that a path names. */
@Injectable()
export class AppInPath {
  constructor(private readonly apps: Apps) {}

  /** @throws ConsoleError 404 */
  async find(id: string): Promise<App> {
    const app = await this.apps.findById(id);
    if (!app) throw notFound('The app');
    return app;
  }
}
