import { Injectable } from '@nestjs/common';
import { InstanceRepository, isInstanceId, type Instance } from 'rookery/push-device';
import { Database } from '../database/database.js';
import { Remembered } from '../remembered.js';

/** In the database, where `save` and `remove` change them while the application runs. */
@Injectable()
export class TypeOrmInstanceRepository extends InstanceRepository {
  private readonly instances = new Remembered<Instance>();

  constructor(private readonly database: Database) {
    super();
  }

  async find(id: string): Promise<Instance | undefined> {
    return isInstanceId(id) ? this.instances.get(id.toLowerCase(), () => this.lookUp(id.toLowerCase())) : undefined;
  }

  /** Adds an instance, or replaces the one of its id. Other processes see it within a second. */
  async save(instance: Instance): Promise<void> {
    if (!isInstanceId(instance.id))
      throw new Error(`an instance's id must be a UUID, got ${JSON.stringify(instance.id)}`);
    const id = instance.id.toLowerCase();
    await this.database.execute(
      `INSERT INTO rookery_instances (id, settings) VALUES (?, ?)
       ON CONFLICT (id) DO UPDATE SET settings = excluded.settings`,
      [id, JSON.stringify({ ...instance, id })],
    );
    this.instances.forget();
  }

  /** Removes an instance; its devices stay, unreachable, until it is saved again. */
  async remove(id: string): Promise<void> {
    if (isInstanceId(id)) await this.database.execute('DELETE FROM rookery_instances WHERE id = ?', [id.toLowerCase()]);
    this.instances.forget();
  }

  private async lookUp(id: string): Promise<Instance | undefined> {
    const [row] = await this.database.read<{ readonly settings: string }>(
      'SELECT settings FROM rookery_instances WHERE id = ?',
      [id],
    );
    // It was written by `save`.
    return row && (JSON.parse(row.settings) as Instance);
  }
}
