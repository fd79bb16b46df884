import { BadRequestException, Injectable, NotFoundException } from '@nestjs/common';
import { randomBytes, randomInt } from 'node:crypto';
import {
  type AdminAction,
  type EditableSettings,
  endOfOld,
  type JsonObject,
  type Rotation,
  SettingsAdmin,
  SettingsConflict,
} from '#common';
import { isValid, type KeyPair } from '../protocol/credentials.js';
import { App, type AppConfig } from '../app/app.js';
import { Apps } from './apps.js';

/** A value that is safe in a path, as one segment. */
const segment = /^[\w.~-]{1,100}$/;

/** Manages apps while they are served: creates, changes, disables and removes them, and rotates their keys. */
@Injectable()
export class AppsAdmin extends SettingsAdmin<AppConfig> {
  protected readonly what = 'app';
  protected readonly rules = App;
  protected readonly credentials = ['key', 'secret', 'keys'];

  constructor(private readonly apps: Apps) {
    super();
  }

  /**
   * Creates another key with its secret. The previous key stays valid until you remove it, or for the chosen time, and
   * signs webhooks until then. Keys that have expired are removed.
   */
  async rotate(id: string, { oldValidForSeconds, ...action }: Rotation = {}): Promise<KeyPair> {
    const pair = newPair();
    const validUntil = endOfOld(oldValidForSeconds, Date.now());
    await this.change(id, `has the new key ${pair.key}`, action, ({ key, secret, keys = [], ...rest }) => ({
      ...rest,
      ...pair,
      keys: [{ key, secret, ...(validUntil !== undefined && { validUntil }) }, ...keys].filter((each) => isValid(each)),
    }));
    return pair;
  }

  /** Removes an additional key: requests signed with it are refused from now on. */
  async removeKey(id: string, removed: string, action: AdminAction = {}): Promise<void> {
    await this.change(id, `lost the key ${removed}`, action, ({ keys = [], ...rest }) => {
      if (removed === rest.key) throw new SettingsConflict('This is the main key of the app: rotate it first');
      if (!keys.some(({ key }) => key === removed)) throw new NotFoundException('The app has no such key');
      return { ...rest, keys: keys.filter(({ key }) => key !== removed) };
    });
  }

  protected get configured(): Iterable<AppConfig> {
    return this.apps.configured?.all ?? [];
  }

  protected get stored(): EditableSettings<AppConfig> | undefined {
    return this.apps.stored?.editing;
  }

  protected complete(given: JsonObject): JsonObject {
    return { id: String(randomInt(100_000, 10_000_000)), ...newPair(), ...given };
  }

  protected check(app: AppConfig): void {
    const keys = [app.key, ...(app.keys ?? []).map(({ key }) => key)];
    for (const [name, value] of [['id', app.id] as const, ...keys.map((key) => ['key', key] as const)])
      if (!segment.test(value)) throw new BadRequestException(`${name} must be 1 to 100 letters, digits, -, _, . or ~`);
    if (new Set(keys).size < keys.length) throw new BadRequestException('keys has a key twice');
    const taken = keys.find((key) => this.apps.configured?.findByKey(key));
    if (taken !== undefined)
      throw new SettingsConflict(`An app of the configuration has the key ${JSON.stringify(taken)}`);
  }
}

const newPair = (): KeyPair => ({ key: randomBytes(10).toString('hex'), secret: randomBytes(32).toString('hex') });
