import { Delete, type ExecutionContext, Get, HttpCode, Param, Patch, Post, UseGuards } from '@nestjs/common';
import { administeredInstance, type AdministeredInstance } from 'rookery/push-device';
import { JsonBody, type JsonObject, RookeryController } from 'rookery/common';
import { Context } from '../access/console-request.js';
import { ConsoleGuard } from '../access/console.guard.js';
import { Administration, byOf, changeOf } from './administration.js';

/** Push instances, edited while they are served. A secret key is returned only once, and later named by its digest. */
@RookeryController('console/api/admin/instances')
@UseGuards(ConsoleGuard)
export class InstancesAdminController {
  constructor(private readonly administration: Administration) {}

  @Get()
  async all(): Promise<{ instances: AdministeredInstance[] }> {
    return { instances: (await this.administration.instances.all()).map((instance) => administeredInstance(instance)) };
  }

  @Post()
  @HttpCode(201)
  async create(@JsonBody() given: JsonObject, @Context() context: ExecutionContext) {
    const { id, secretKey } = await this.administration.instances.create(given, byOf(context));
    return { ...(await this.one(id)), secretKey };
  }

  @Get(':id')
  async one(@Param('id') id: string): Promise<AdministeredInstance> {
    return administeredInstance(await this.administration.instances.find(id));
  }

  @Patch(':id')
  async edit(@Param('id') id: string, @JsonBody() body: JsonObject, @Context() context: ExecutionContext) {
    const { changes, ...version } = changeOf(body);
    await this.administration.instances.edit(id, changes, { ...byOf(context), ...version });
    return this.one(id);
  }

  @Delete(':id')
  @HttpCode(204)
  remove(@Param('id') id: string, @Context() context: ExecutionContext): Promise<void> {
    return this.administration.instances.remove(id, byOf(context));
  }

  @Post(':id/rotate')
  @HttpCode(200)
  rotate(@Param('id') id: string, @Context() context: ExecutionContext) {
    return this.administration.instances.rotate(id, byOf(context));
  }

  @Delete(':id/keys/:key')
  @HttpCode(204)
  removeKey(@Param('id') id: string, @Param('key') key: string, @Context() context: ExecutionContext): Promise<void> {
    return this.administration.instances.removeKey(id, key, byOf(context));
  }
}
