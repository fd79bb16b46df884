import { Injectable, Param, type PipeTransform } from '@nestjs/common';
import { type App, Apps } from 'rookery/channels';
import { notFound } from '../console.errors.js';

@Injectable()
export class AppInPath implements PipeTransform<string, Promise<App>> {
  constructor(private readonly apps: Apps) {}

  /** @throws ConsoleError 404 */
  async transform(id: string): Promise<App> {
    const app = await this.apps.findById(id);
    if (!app) throw notFound('The app');
    return app;
  }
}

/** The app that the path names. */
export const InApp = (): ParameterDecorator => Param('app', AppInPath);
