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
import { hasPairTwice, isValid, type KeyPair } from '../protocol/credentials.js';
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
   * Creates another key with its secret, or with `sameKey` another secret for the key. The previous secret stays valid
   * until you remove it, or for the chosen time, and signs webhooks until then. Those that have expired are removed.
   */
  async rotate(id: string, { oldValidForSeconds, sameKey = false, ...action }: Rotation = {}): Promise<KeyPair> {
    const fresh = newPair();
    const validUntil = endOfOld(oldValidForSeconds, Date.now());
    const said = sameKey ? 'has a new secret for its key' : `has the new key ${fresh.key}`;
    const after = await this.change(id, said, action, ({ key, secret, keys = [], ...rest }) => ({
      ...rest,
      ...fresh,
      ...(sameKey && { key }),
      keys: [{ key, secret, ...(validUntil !== undefined && { validUntil }) }, ...keys].filter((each) => isValid(each)),
    }));
    return { key: after.key, secret: after.secret };
  }

  /**
   * Removes an additional key, or the old secrets of the current one: requests signed with them are refused from now
   * on.
   */
  async removeKey(id: string, removed: string, action: AdminAction = {}): Promise<void> {
    await this.change(id, `lost the key ${removed}`, action, ({ keys = [], ...rest }) => {
      const left = keys.filter(({ key }) => key !== removed);
      if (left.length < keys.length) return { ...rest, keys: left };
      if (removed === rest.key) throw new SettingsConflict('This is the main key of the app: rotate it first');
      throw new NotFoundException('The app has no such key');
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
    if (hasPairTwice(app)) throw new BadRequestException('keys has a key and secret twice');
    const taken = keys.find((key) => this.apps.configured?.findByKey(key));
    if (taken !== undefined)
      throw new SettingsConflict(`An app of the configuration has the key ${JSON.stringify(taken)}`);
  }
}

const newPair = (): KeyPair => ({ key: randomBytes(10).toString('hex'), secret: randomBytes(32).toString('hex') });
