import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { pause } from '#common';
import type { App } from '../app/app.js';
import {
  type Announcement,
  type AnnouncementChange,
  AnnouncementRepository,
  NoAnnouncements,
} from './announcement.repository.js';
import type { Appearance, HoldableActivity } from './channel-events.js';

const pauseMs = 1000;

/** The most changes that one save takes. */
const savedAtOnce = 500;

/** Saves what webhooks have reported to be there, together with what is reported meanwhile. */
@Injectable()
export class Announcements implements OnApplicationShutdown {
  private readonly logger = new Logger('Webhooks');
  /** The latest change of each subject. */
  private readonly waiting = new Map<string, AnnouncementChange>();
  private readonly infos = new WeakMap<object, string>();
  private saving: Promise<void> | undefined;
  private isClosed = false;
  /** Whether anything is kept. */
  readonly areKept: boolean;

  constructor(private readonly repository: AnnouncementRepository) {
    this.areKept = !(repository instanceof NoAnnouncements);
  }

  /** Adds the info of the member whose appearance will be noted. */
  describe(event: Appearance, userInfoJson: string | undefined): void {
    if (this.areKept && userInfoJson !== undefined) this.infos.set(event, userInfoJson);
  }

  /** Never throws or waits. Called when the report is stored: if this is lost, the change is reported twice. */
  note({ id: appId }: App, event: Appearance | HoldableActivity, isThere: boolean): void {
    if (!this.areKept) return;
    const userInfoJson = this.infos.get(event);
    const userId = 'user_id' in event ? event.user_id : '';
    const channel = 'channel' in event ? event.channel : '';
    this.save({ appId, channel, userId, ...(userInfoJson !== undefined && { userInfoJson }), isThere });
  }

  /** Never throws or waits. */
  save(change: AnnouncementChange): void {
    const key = subjectKey(change);
    // At the end, so that changes are saved in their order.
    this.waiting.delete(key);
    this.waiting.set(key, change);
    this.saving ??= this.saveAll();
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    await this.saving;
    await this.repository.close();
  }

  private async saveAll(): Promise<void> {
    // Together with what else is reported in this turn.
    await Promise.resolve();
    while (this.waiting.size > 0) {
      const changes = [...this.waiting.entries()].slice(0, savedAtOnce);
      for (const [key] of changes) this.waiting.delete(key);
      try {
        await this.repository.save(changes.map(([, change]) => change));
      } catch (error) {
        if (this.isClosed) return this.lost(error);
        for (const [key, change] of changes) if (!this.waiting.has(key)) this.waiting.set(key, change);
        await pause(pauseMs);
      }
    }
    this.saving = undefined;
  }

  private lost(error: unknown): void {
    this.logger.error('Not saved what webhooks have reported: some of it may be reported again', error);
  }
}

export const subjectKey = ({ appId, channel, userId }: Announcement): string =>
  JSON.stringify([appId, channel, userId]);
