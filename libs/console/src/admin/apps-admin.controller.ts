import { Delete, type ExecutionContext, Get, HttpCode, Param, Patch, Post, UseGuards } from '@nestjs/common';
import { administeredApp, type AdministeredApp } from 'rookery/channels';
import { JsonBody, type JsonObject, RookeryController } from 'rookery/common';
import { Context } from '../access/console-request.js';
import { ConsoleGuard } from '../access/console.guard.js';
import { Administration, byOf, changeOf } from './administration.js';

/** Apps, edited while they are served. A secret is returned only once, when it is created. */
@RookeryController('console/api/admin/apps')
@UseGuards(ConsoleGuard)
export class AppsAdminController {
  constructor(private readonly administration: Administration) {}

  @Get()
  async all(): Promise<{ apps: AdministeredApp[] }> {
    return { apps: (await this.administration.apps.all()).map((app) => administeredApp(app)) };
  }

  @Post()
  @HttpCode(201)
  async create(@JsonBody() given: JsonObject, @Context() context: ExecutionContext) {
    const { id, secret } = await this.administration.apps.create(given, byOf(context));
    return { ...(await this.one(id)), secret };
  }

  @Get(':id')
  async one(@Param('id') id: string): Promise<AdministeredApp> {
    return administeredApp(await this.administration.apps.find(id));
  }

  @Patch(':id')
  async edit(@Param('id') id: string, @JsonBody() body: JsonObject, @Context() context: ExecutionContext) {
    const { changes, ...version } = changeOf(body);
    await this.administration.apps.edit(id, changes, { ...byOf(context), ...version });
    return this.one(id);
  }

  @Delete(':id')
  @HttpCode(204)
  remove(@Param('id') id: string, @Context() context: ExecutionContext): Promise<void> {
    return this.administration.apps.remove(id, byOf(context));
  }

  @Post(':id/rotate')
  @HttpCode(200)
  rotate(@Param('id') id: string, @Context() context: ExecutionContext) {
    return this.administration.apps.rotate(id, byOf(context));
  }

  @Delete(':id/keys/:key')
  @HttpCode(204)
  removeKey(@Param('id') id: string, @Param('key') key: string, @Context() context: ExecutionContext): Promise<void> {
    return this.administration.apps.removeKey(id, key, byOf(context));
  }
}
