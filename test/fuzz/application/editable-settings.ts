import { type AppConfig, AppRepository } from 'rookery/channels';
import { type Instance, InstanceRepository } from 'rookery/push-device';
import { type Versioned, SettingsConflict } from '#common';

/** Settings in memory, as the console edits them. */
class KeptSettings<Settings extends { readonly id: string }> {
  private readonly kept = new Map<string, Versioned<Settings>>();
  private versions = 0;

  all(): readonly Versioned<Settings>[] {
    return [...this.kept.values()].toSorted((a, b) => (a.settings.id < b.settings.id ? -1 : 1));
  }

  read(id: string): Versioned<Settings> | undefined {
    return this.kept.get(id);
  }

  save(settings: Settings, version?: number): void {
    this.check(settings.id, version);
    this.kept.set(settings.id, { settings, version: ++this.versions });
  }

  remove(id: string, version?: number): void {
    this.check(id, version);
    this.kept.delete(id);
  }

  private check(id: string, version: number | undefined): void {
    if (version !== undefined && (this.kept.get(id)?.version ?? 0) !== version) throw new SettingsConflict('changed');
  }
}

export class KeptApps extends AppRepository {
  override readonly editing = this;
  private readonly apps = new KeptSettings<AppConfig>();
  all = async () => this.apps.all();
  read = async (id: string) => this.apps.read(id);
  findById = (id: string) => this.apps.read(id)?.settings;

  findByKey(wanted: string): AppConfig | undefined {
    const holds = (app: AppConfig): boolean => [app, ...(app.keys ?? [])].some(({ key }) => key === wanted);
    return this.apps.all().find(({ settings }) => holds(settings))?.settings;
  }

  async save(app: AppConfig, version?: number): Promise<void> {
    const isTaken = [app, ...(app.keys ?? [])].some(({ key }) => (this.findByKey(key)?.id ?? app.id) !== app.id);
    if (isTaken) throw new SettingsConflict('taken');
    this.apps.save(app, version);
  }

  async remove(id: string, version?: number): Promise<void> {
    this.apps.remove(id, version);
  }
}

export class KeptInstances extends InstanceRepository {
  override readonly editing = this;
  private readonly instances = new KeptSettings<Instance>();
  all = async () => this.instances.all();
  read = async (id: string) => this.instances.read(id.toLowerCase());
  find = (id: string) => this.instances.read(id.toLowerCase())?.settings;

  async save(instance: Instance, version?: number): Promise<void> {
    this.instances.save(instance, version);
  }

  async remove(id: string, version?: number): Promise<void> {
    this.instances.remove(id.toLowerCase(), version);
  }
}
