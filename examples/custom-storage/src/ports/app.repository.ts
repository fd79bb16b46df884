import { Injectable } from '@nestjs/common';
import { type AppConfig, AppRepository } from 'rookery/channels';
import { DocumentStore, path } from '../store/document.store.js';

const byId = (id: string) => path('apps', id);
const byKey = (key: string) => path('app-keys', key);
const keysOf = ({ key, keys = [] }: AppConfig): readonly string[] => [key, ...keys.map((further) => further.key)];

/**
 * Apps, and which of them has a key. They are asked for with every request and every connection: this store answers
 * from memory, and with the same object; with one that does not, remember each answer for a moment.
 */
@Injectable()
export class StoredAppRepository extends AppRepository {
  constructor(private readonly store: DocumentStore) {
    super();
  }

  async findById(id: string): Promise<AppConfig | undefined> {
    return (await this.store.read<AppConfig>(byId(id)))?.value;
  }

  async findByKey(key: string): Promise<AppConfig | undefined> {
    const owner = await this.store.read<string>(byKey(key));
    return owner && this.findById(owner.value);
  }

  /** Rookery does not call it; an application that adds and changes its apps does. A key belongs to one app. */
  async save(app: AppConfig): Promise<void> {
    await this.store.transact(async (documents) => {
      const before = await documents.get<AppConfig>(byId(app.id));
      for (const key of before ? keysOf(before) : []) documents.remove(byKey(key));
      for (const key of keysOf(app)) {
        const owner = await documents.get<string>(byKey(key));
        if (owner !== undefined && owner !== app.id) throw new Error(`The app "${owner}" has the key "${key}" already`);
        documents.set(byKey(key), app.id);
      }
      documents.set(byId(app.id), app);
    });
  }
}
