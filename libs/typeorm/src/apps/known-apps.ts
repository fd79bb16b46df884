import { Logger } from '@nestjs/common';
import type { AppConfig } from 'rookery/channels';
import { SettingsTable } from '../settings/settings-table.js';

/** How often a process checks for changes, in milliseconds; reading them takes only a moment. */
const lookEveryMs = 500;
/** The same where the database announces changes: a notice can get lost. */
const seldomMs = 5000;
/** Without the timer, apps checked this recently count as current. */
const freshMs = 1000;
/** With more apps, none is kept in memory. */
const maxKnown = 10_000;

/**
 * The database's apps in the memory of this process, as a rule at most half a second old: no request waits for the database, and
 * a request with an unknown app costs it nothing. While the database is down, the apps stay as they were.
 */
export class KnownApps {
  private readonly logger = new Logger('Apps');
  private readonly byId = new Map<string, AppConfig>();
  private readonly byKey = new Map<string, AppConfig>();
  private seen = 0;
  private isWhole: boolean | undefined;
  private lookedAt = -Infinity;
  private latest: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private isAway = false;

  constructor(
    private readonly table: SettingsTable<AppConfig>,
    private readonly changed: (ids: readonly string[]) => void,
  ) {}

  private unwatch: (() => Promise<void>) | undefined;

  /** Whether all apps are in memory and were checked recently. */
  get areAtHand(): boolean {
    return this.isWhole === true && (this.timer !== undefined || performance.now() - this.lookedAt < freshMs);
  }

  /** Whether there are too many to keep in memory; they are looked up instead. */
  get areTooMany(): boolean {
    return this.isWhole === false;
  }

  ofId = (id: string): AppConfig | undefined => this.byId.get(id);
  ofKey = (key: string): AppConfig | undefined => this.byKey.get(key);

  /** Reads changes: when it resolves, all writes from before the call are known. */
  look(): Promise<void> {
    const looked = this.latest.catch(() => undefined).then(() => this.read());
    this.latest = looked;
    return looked;
  }

  /** Starts checking regularly. */
  async keepLooking(): Promise<void> {
    await this.look();
    if (this.timer) return;
    this.unwatch = this.table.watch(() => void this.lookAgain());
    this.timer = setInterval(() => void this.lookAgain(), this.unwatch ? seldomMs : lookEveryMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.timer = undefined;
    await this.unwatch?.();
    await this.latest.catch(() => undefined);
  }

  private async lookAgain(): Promise<void> {
    try {
      await this.look();
      if (this.isAway) this.logger.log('The apps of the database are read again');
      this.isAway = false;
    } catch (error) {
      if (!this.isAway && this.timer)
        this.logger.warn(`Apps stay as they are, the database does not answer: ${String(error)}`);
      this.isAway = true;
    }
  }

  private async read(): Promise<void> {
    const isFirst = this.isWhole === undefined;
    const changes = await this.table.changesAfter(this.seen);
    if (isFirst) await this.readAll();
    else if (this.isWhole && changes.length > 0) await this.readSome(changes.map(({ id }) => id));
    this.lookedAt = performance.now();
    this.seen = changes.at(-1)?.version ?? this.seen;
    if (!isFirst && changes.length > 0) this.changed(changes.map(({ id }) => id));
  }

  private async readAll(): Promise<void> {
    const all = await this.table.all(maxKnown + 1);
    this.isWhole = all.length <= maxKnown;
    if (this.isWhole) for (const { settings } of all) this.learn(settings);
  }

  private async readSome(ids: readonly string[]): Promise<void> {
    const some = await this.table.some(ids);
    for (const id of ids) this.forget(id);
    for (const { settings } of some) this.learn(settings);
  }

  private learn(app: AppConfig): void {
    this.byId.set(app.id, app);
    for (const { key } of [app, ...(app.keys ?? [])]) this.byKey.set(key, app);
  }

  private forget(id: string): void {
    const app = this.byId.get(id);
    this.byId.delete(id);
    for (const { key } of app ? [app, ...(app.keys ?? [])] : [])
      if (this.byKey.get(key) === app) this.byKey.delete(key);
  }
}
