import { BadRequestException, Logger, NotFoundException, type Type } from '@nestjs/common';
import { bodySchemaOf, type JsonSchema, settingsOf } from '../checks/index.js';
import { isObject, type JsonObject } from '../is-object.js';
import { type EditableSettings, type Versioned, SettingsConflict } from '../versioned.js';
import { withHidden } from './hidden.js';

/** Settings and their source. Those from the configuration can only be changed there, and have no version. */
export interface Administered<Settings> {
  readonly settings: Settings;
  readonly origin: 'configuration' | 'database';
  readonly version: number | null;
}

/** An administrator's action, with the actor as far as known, for the log. */
export interface AdminAction {
  readonly by?: string;
  /** The version that the change is based on; without it, the change applies to the current one. */
  readonly version?: number;
}

/** A new secret, beside the old one. */
export interface Rotation extends AdminAction {
  /** How long the old secret stays valid; absent: until it is removed. 0 to 365 days. */
  readonly oldValidForSeconds?: number;
  /** For an app: creates a secret for its key, which pages go on using, instead of another key with a secret. */
  readonly sameKey?: boolean;
}

const longestRotation = 365 * 86_400;

/** When the old secret expires. @throws BadRequestException for an invalid duration */
export function endOfOld(oldValidForSeconds: number | undefined, now: number): string | undefined {
  if (oldValidForSeconds === undefined) return undefined;
  if (!(oldValidForSeconds >= 0 && oldValidForSeconds <= longestRotation))
    throw new BadRequestException(`oldValidForSeconds must be a number from 0 to ${longestRotation}`);
  return new Date(now + oldValidForSeconds * 1000).toISOString();
}

/** How often a change is retried after concurrent ones. */
const maxAttempts = 5;

/**
 * Administers apps or instances. Invalid input is a BadRequestException in the words of `forRoot`; an unknown id is a
 * NotFoundException; a SettingsConflict means that the settings come from the configuration, the id or key is taken, or
 * they were changed concurrently.
 */
export abstract class SettingsAdmin<Settings extends { readonly id: string }> {
  private readonly logger = new Logger('Administration');
  /** `app` or `instance`. */
  protected abstract readonly what: string;
  /** The class with their rules. */
  protected abstract readonly rules: Type<object>;
  /** Fields that cannot be edited, only regenerated. */
  protected abstract readonly credentials: readonly string[];
  /** The configured ones. */
  protected abstract readonly configured: Iterable<Settings>;
  /** The repository of the others; absent if it is not editable. */
  protected abstract readonly stored: EditableSettings<Settings> | undefined;
  /** The requested settings, with generated credentials. */
  protected abstract complete(given: JsonObject): JsonObject;
  /** @throws BadRequestException or SettingsConflict for conditions that rules cannot express */
  protected abstract check(settings: Settings): void;

  /** The schema of each setting that can be edited, by name. */
  get schema(): Readonly<Record<string, JsonSchema>> {
    const { properties } = bodySchemaOf(this.rules) as { readonly properties: Readonly<Record<string, JsonSchema>> };
    const fixed = ['id', 'enabled', ...this.credentials];
    return Object.fromEntries(Object.entries(properties).filter(([name]) => !fixed.includes(name)));
  }

  /** All of them, configured ones first. */
  async all(): Promise<readonly Administered<Settings>[]> {
    const configured = [...this.configured].map((settings) => this.fixed(settings));
    const taken = new Set(configured.map(({ settings }) => settings.id));
    const stored = (await this.stored?.all()) ?? [];
    return [...configured, ...stored.filter(({ settings }) => !taken.has(settings.id)).map(ofDatabase)];
  }

  async find(id: string): Promise<Administered<Settings>> {
    const configured = this.inConfiguration(id);
    if (configured) return this.fixed(configured);
    const kept = await this.stored?.read(id);
    if (!kept) throw new NotFoundException(`There is no ${this.what} ${JSON.stringify(id)}`);
    return ofDatabase(kept);
  }

  /** Adds one. Generates the id and credentials that are not given. */
  async create(given: unknown, { by }: AdminAction = {}): Promise<Settings> {
    const settings = this.checked(this.complete(filled(this.settingsIn(given), {})));
    if (this.inConfiguration(settings.id)) throw new SettingsConflict(this.configuredText(settings.id));
    await this.editable.save(settings, 0);
    this.say(settings.id, 'was created', by);
    return settings;
  }

  /** Changes some settings; `null` restores a default. */
  async edit(id: string, changes: unknown, action: AdminAction = {}): Promise<Settings> {
    const given = this.settingsIn(changes);
    const fixed = ['id', ...this.credentials].find((name) => name in given);
    if (fixed === 'id') throw new BadRequestException('id cannot be changed');
    if (fixed !== undefined) throw new BadRequestException(`${fixed} cannot be edited: rotate creates another`);
    const names = Object.keys(given);
    const said =
      names.length === 1 && names[0] === 'enabled'
        ? `was ${given['enabled'] === false ? 'disabled' : 'enabled'}`
        : `was changed: ${names.join(', ')}`;
    return this.change(id, said, action, (before) => {
      const was = before as Readonly<Record<string, unknown>>;
      const after = Object.entries({ ...was, ...filled(given, was) }).filter(([, value]) => value !== null);
      return this.checked(Object.fromEntries(after));
    });
  }

  async remove(id: string, { by, version }: AdminAction = {}): Promise<void> {
    await this.changeable(id);
    await this.editable.remove(id, version);
    this.say(id, 'was removed', by);
  }

  /** Modifies one, starting over after a concurrent change. */
  protected async change(
    id: string,
    said: string,
    { by, version }: AdminAction,
    work: (before: Settings) => Settings,
  ): Promise<Settings> {
    for (let attempt = 1; ; attempt++) {
      const before = await this.changeable(id);
      const after = work(before.settings);
      try {
        await this.editable.save(after, version ?? before.version);
        this.say(before.settings.id, said, by);
        return after;
      } catch (error) {
        if (!(error instanceof SettingsConflict) || version !== undefined || attempt === maxAttempts) throw error;
        // Waiting does not free a key that is taken.
        if ((await this.editable.read(id))?.version === before.version) throw error;
      }
    }
  }

  private settingsIn(given: unknown): JsonObject {
    if (isObject(given)) return given;
    throw new BadRequestException('Settings must be an object');
  }

  private checked(given: JsonObject): Settings {
    try {
      settingsOf(this.rules, given);
    } catch (error) {
      throw new BadRequestException((error as Error).message, { cause: error });
    }
    const settings = given as unknown as Settings; // It satisfies the rules of the class.
    this.check(settings);
    return settings;
  }

  private async changeable(id: string): Promise<Versioned<Settings>> {
    const { settings, version } = await this.find(id);
    if (version === null) throw new SettingsConflict(this.configuredText(settings.id));
    return { settings, version };
  }

  private get editable(): EditableSettings<Settings> {
    if (this.stored) return this.stored;
    throw new SettingsConflict(`Nothing can be changed here: the ${this.what}s are not in a database`);
  }

  private inConfiguration(id: string): Settings | undefined {
    for (const each of this.configured) if (this.isSame(each.id, id)) return each;
    return undefined;
  }

  protected isSame(one: string, other: string): boolean {
    return one === other;
  }

  private configuredText(id: string): string {
    return `The ${this.what} ${JSON.stringify(id)} is part of the configuration: change it there`;
  }

  private fixed(settings: Settings): Administered<Settings> {
    return { settings, origin: 'configuration', version: null };
  }

  private say(id: string, said: string, by: string | undefined): void {
    this.logger.log(`The ${this.what} ${JSON.stringify(id)} ${said}${by === undefined ? '' : `, by ${by}`}`);
  }
}

const ofDatabase = <Settings>({ settings, version }: Versioned<Settings>): Administered<Settings> => ({
  settings,
  origin: 'database',
  version,
});

const filled = (changes: JsonObject, before: Readonly<Record<string, unknown>>): JsonObject =>
  Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, withHidden(value, before[name], name)]));
