import { Injectable } from '@nestjs/common';
import type { Versioned } from '#common';
import { InstanceRepository, isInstanceId, type Instance } from 'rookery/push-device';
import { Database } from '../database/database.js';
import { run } from '../database/statement.js';
import { Remembered } from '../remembered.js';
import { SettingsTable } from '../settings/settings-table.js';

/** In the database; each process caches found instances for a second. */
@Injectable()
export class TypeOrmInstanceRepository extends InstanceRepository {
  override readonly editing = this;
  private readonly instances = new Remembered<Instance>();
  private readonly table: SettingsTable<Instance>;

  constructor(database: Database) {
    super();
    this.table = new SettingsTable(database, 'instance');
  }

  async find(id: string): Promise<Instance | undefined> {
    if (!isInstanceId(id)) return undefined;
    return this.instances.get(id.toLowerCase(), async () => (await this.read(id))?.settings);
  }

  all(): Promise<readonly Versioned<Instance>[]> {
    return this.table.all();
  }

  async read(id: string): Promise<Versioned<Instance> | undefined> {
    return isInstanceId(id) ? (await this.table.some([id.toLowerCase()]))[0] : undefined;
  }

  async save(instance: Instance, version?: number): Promise<void> {
    if (!isInstanceId(instance.id))
      throw new Error(`an instance's id must be a UUID, got ${JSON.stringify(instance.id)}`);
    const id = instance.id.toLowerCase();
    await this.table.change(id, version, function* () {
      yield* run(
        `INSERT INTO rookery_instances (id, settings) VALUES (?, ?)
         ON CONFLICT (id) DO UPDATE SET settings = excluded.settings`,
        [id, JSON.stringify({ ...instance, id })],
      );
    });
    this.instances.forget();
  }

  async remove(id: string, version?: number): Promise<void> {
    if (isInstanceId(id))
      await this.table.change(id.toLowerCase(), version, function* () {
        yield* run('DELETE FROM rookery_instances WHERE id = ?', [id.toLowerCase()]);
      });
    this.instances.forget();
  }
}
