import { Delete, type ExecutionContext, Get, HttpCode, Optional, Param, Patch, Post } from '@nestjs/common';
import { administeredApp, AppsAdmin } from 'rookery/internal/channels';
import {
  type AdminAction,
  type Administered,
  type JsonObject,
  type Rotation,
  type SettingsAdmin,
} from 'rookery/internal/common';
import { clientAddress, JsonBody } from 'rookery/internal/http';
import { administeredInstance, InstancesAdmin } from 'rookery/internal/push-device';
import { Context, requestOf } from '../access/console-request.js';
import { ConsoleController } from '../access/console.guard.js';
import { badRequest, notFound } from '../console.errors.js';

/** Apps and push instances, edited while they are served. A secret is returned only once, when it is created. */
@ConsoleController('admin/:kind')
export class AdminController {
  private readonly kinds;

  /** Each is present with its module. */
  constructor(@Optional() apps?: AppsAdmin, @Optional() instances?: InstancesAdmin) {
    this.kinds = new Map([
      ['apps', apps && kindOf(apps, administeredApp, 'secret')],
      ['instances', instances && kindOf(instances, administeredInstance, 'secretKey')],
    ]);
  }

  @Get()
  async all(@Param('kind') kind: string): Promise<Readonly<Record<string, object>>> {
    const { all, schema } = this.find(kind);
    return { [kind]: await all(), schema };
  }

  @Post()
  @HttpCode(201)
  create(@Param('kind') kind: string, @JsonBody() given: JsonObject, @Context() context: ExecutionContext) {
    return this.find(kind).create(given, byOf(context));
  }

  @Get(':id')
  one(@Param('kind') kind: string, @Param('id') id: string): Promise<object> {
    return this.find(kind).one(id);
  }

  @Patch(':id')
  async edit(
    @Param('kind') kind: string,
    @Param('id') id: string,
    @JsonBody() { version, ...changes }: JsonObject,
    @Context() context: ExecutionContext,
  ): Promise<object> {
    if (version !== undefined && typeof version !== 'number')
      throw badRequest('version must be the number from an earlier answer.');
    const { editor, one } = this.find(kind);
    await editor.edit(id, changes, { ...byOf(context), ...(version !== undefined && { version }) });
    return one(id);
  }

  @Delete(':id')
  @HttpCode(204)
  remove(@Param('kind') kind: string, @Param('id') id: string, @Context() context: ExecutionContext): Promise<void> {
    return this.find(kind).editor.remove(id, byOf(context));
  }

  @Post(':id/rotate')
  @HttpCode(200)
  rotate(
    @Param('kind') kind: string,
    @Param('id') id: string,
    @JsonBody() { oldValidForSeconds, sameKey = false }: JsonObject,
    @Context() context: ExecutionContext,
  ): Promise<object> {
    if (oldValidForSeconds !== undefined && typeof oldValidForSeconds !== 'number')
      throw badRequest('oldValidForSeconds must be a number.');
    if (typeof sameKey !== 'boolean') throw badRequest('sameKey must be true or false.');
    const rotation = { sameKey, ...byOf(context), ...(oldValidForSeconds !== undefined && { oldValidForSeconds }) };
    return this.find(kind).editor.rotate(id, rotation);
  }

  @Delete(':id/keys/:key')
  @HttpCode(204)
  removeKey(
    @Param('kind') kind: string,
    @Param('id') id: string,
    @Param('key') key: string,
    @Context() context: ExecutionContext,
  ): Promise<void> {
    return this.find(kind).editor.removeKey(id, key, byOf(context));
  }

  /** @throws ConsoleError 404 without the kind's module */
  private find(kind: string) {
    const found = this.kinds.get(kind);
    if (!found && this.kinds.has(kind)) throw notFound('The module of push devices');
    if (!found) throw notFound('The path');
    return found;
  }
}

/** Changes settings and their credentials. */
interface Editor extends Pick<SettingsAdmin<{ readonly id: string }>, 'remove'> {
  edit(id: string, changes: JsonObject, action: AdminAction): Promise<object>;
  rotate(id: string, rotation: Rotation): Promise<object>;
  removeKey(id: string, key: string, action: AdminAction): Promise<void>;
}

/** A kind of settings, as answered: `shown` hides the secrets, of which one is answered at the creation. */
function kindOf<Settings extends { readonly id: string }>(
  admin: Pick<SettingsAdmin<Settings>, 'all' | 'find' | 'create' | 'schema'> & Editor,
  shown: (one: Administered<Settings>) => object,
  secret: keyof Settings,
) {
  const editor: Editor = admin;
  const one = async (id: string): Promise<object> => shown(await admin.find(id));
  return {
    editor,
    one,
    schema: admin.schema,
    all: async () => (await admin.all()).map(shown),
    create: async (given: JsonObject, action: AdminAction): Promise<object> => {
      const created = await admin.create(given, action);
      return { ...(await one(created.id)), [secret]: created[secret] };
    },
  };
}

/** The actor for the log; with a shared password, only the address is known. */
const byOf = (context: ExecutionContext): AdminAction => ({
  by: `the console, from ${clientAddress(requestOf(context)) || 'here'}`,
});
