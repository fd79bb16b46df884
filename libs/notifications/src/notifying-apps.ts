import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { type App, type AppOrId, Apps } from 'rookery/channels';
import { settingsOf } from '#common';
import {
  ConfiguredInstanceRepository,
  configuredInstances,
  DefaultInstance,
  InstanceRepository,
} from 'rookery/internal/push-device';
import { notNotifying } from './notifications.errors.js';
import { AppNotifications, NotificationsSettings } from './notifications.options.js';
import type { Withdraws } from './store/notification.repository.js';

/** An app's notification settings, with the optional ids resolved. */
export interface NotifyingApp extends Omit<AppNotifications, 'app' | 'instance'> {
  readonly appId: string;
  readonly instanceId: string;
}

/** Whether devices are to remove what was read, or to get the new number of unread notifications. */
export const withdrawsOf = ({ withdrawFrom, badges }: NotifyingApp): Withdraws =>
  withdrawFrom.length === 0 ? 'never' : badges ? 'always' : 'pushed';

/** The apps with notifications. */
@Injectable()
export class NotifyingApps implements OnModuleInit {
  private readonly logger = new Logger('Notifications');
  private readonly byId = new Map<string, NotifyingApp>();
  /** The settings of all apps without an entry of their own. */
  private others: Omit<NotifyingApp, 'appId'> | undefined;

  constructor(
    private readonly apps: Apps,
    private readonly instances: InstanceRepository,
    private readonly defaultInstance: DefaultInstance,
    private readonly settings: NotificationsSettings,
  ) {}

  /** @throws Error naming the invalid setting */
  async onModuleInit(): Promise<void> {
    for (const [i, given] of this.settings.apps.entries()) {
      const app = await this.complete(settingsOf(AppNotifications, given), `NotificationsModule: apps[${i}]`);
      const isTwice = app.appId === '*' ? this.others : this.byId.has(app.appId);
      if (isTwice) throw new Error(`NotificationsModule: apps[${i}].app appears twice`);
      if (app.appId === '*') this.others = app;
      else this.byId.set(app.appId, app);
    }
  }

  find(appId: string): NotifyingApp | undefined {
    return this.byId.get(appId) ?? (this.others && { ...this.others, appId });
  }

  /** How long an app's notifications are kept; for a removed app, the default. */
  keepSeconds(appId: string): number {
    return (this.find(appId) ?? new AppNotifications()).keepSeconds;
  }

  /**
   * @param app default: the only app with notifications
   * @throws RookeryError `app_not_found`; Error when there are several and none is named
   */
  async named(app?: AppOrId): Promise<{ readonly app: App; readonly settings: NotifyingApp }> {
    const [only, another] = this.byId.keys();
    const onlyId = this.others ? this.apps.defaultId : another === undefined ? only : undefined;
    const given = app ?? onlyId;
    if (given === undefined) throw new Error('NotificationsService: which app? Pass it after the notification');
    const found = await this.apps.named(given);
    return { app: found, settings: this.ofRequest(found) };
  }

  /** @throws ChannelsApiError 404 */
  ofRequest({ id }: App): NotifyingApp {
    const settings = this.find(id);
    if (!settings) throw notNotifying();
    return settings;
  }

  private async complete({ app, instance, ...rest }: AppNotifications, path: string): Promise<NotifyingApp> {
    const appId = app ?? this.apps.defaultId;
    const instanceId = instance ?? this.defaultInstance.id;
    if (appId === undefined) throw new Error(`${path}.app must name an app: there is more than one, or none`);
    if (instanceId === undefined)
      throw new Error(`${path}.instance must name a push instance: there is more than one, or none`);
    // Stored apps may be added later; if there is no other source, none is looked up.
    if (appId !== '*' && this.apps.configured && !(await this.apps.findById(appId)))
      this.missing(`${path}.app: there is no app with the id ${JSON.stringify(appId)}`, !this.apps.stored);
    if (configuredInstances(this.instances) && !(await this.instances.find(instanceId)))
      this.missing(
        `${path}.instance: there is no push instance with the id ${JSON.stringify(instanceId)}`,
        this.instances instanceof ConfiguredInstanceRepository,
      );
    return { ...rest, appId, instanceId };
  }

  private missing(text: string, isFinal: boolean): void {
    if (isFinal) throw new Error(text);
    this.logger.warn(`${text} yet`);
  }
}
