import { Injectable } from '@nestjs/common';
import { AppRepository, type AppConfig } from 'rookery/channels';
import { isStorable } from 'rookery/push-device';
import { Database } from '../database/database.js';
import { run } from '../database/statement.js';
import { Remembered } from '../remembered.js';

const byKey = 'SELECT settings FROM rookery_apps WHERE id = (SELECT app_id FROM rookery_app_keys WHERE key = ?)';

/** In the database, where `save` and `remove` change them while the application runs. */
@Injectable()
export class TypeOrmAppRepository extends AppRepository {
  private readonly byId = new Remembered<AppConfig>();
  private readonly byKey = new Remembered<AppConfig>();

  constructor(private readonly database: Database) {
    super();
  }

  async findById(id: string): Promise<AppConfig | undefined> {
    return this.byId.get(id, () => this.lookUp('SELECT settings FROM rookery_apps WHERE id = ?', id));
  }

  async findByKey(key: string): Promise<AppConfig | undefined> {
    return this.byKey.get(key, () => this.lookUp(byKey, key));
  }

  /** Adds an app, or replaces the one of its id. Other processes see it within a second. */
  async save(app: AppConfig): Promise<void> {
    const keys = [app, ...(app.keys ?? [])].map(({ key }) => key);
    await this.database.write(function* () {
      yield* run(
        `INSERT INTO rookery_apps (id, key, settings) VALUES (?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET key = excluded.key, settings = excluded.settings`,
        [app.id, app.key, JSON.stringify(app)],
      );
      yield* run('DELETE FROM rookery_app_keys WHERE app_id = ?', [app.id]);
      for (const key of keys) yield* run('INSERT INTO rookery_app_keys (key, app_id) VALUES (?, ?)', [key, app.id]);
    });
    this.forget();
  }

  async remove(id: string): Promise<void> {
    await this.database.write(function* () {
      yield* run('DELETE FROM rookery_app_keys WHERE app_id = ?', [id]);
      yield* run('DELETE FROM rookery_apps WHERE id = ?', [id]);
    });
    this.forget();
  }

  private async lookUp(question: string, text: string): Promise<AppConfig | undefined> {
    if (!isStorable(text)) return undefined;
    const [row] = await this.database.read<{ readonly settings: string }>(question, [text]);
    // It was written by `save`.
    return row && (JSON.parse(row.settings) as AppConfig);
  }

  private forget(): void {
    this.byId.forget();
    this.byKey.forget();
  }
}
