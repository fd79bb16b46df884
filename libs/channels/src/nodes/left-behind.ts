import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { type Presence, PresenceService } from 'rookery/presence';
import { Apps } from '../access/apps.js';
import { ChannelsSettings } from '../channels.options.js';
import { sessionsOf } from '../protocol/reserved-channels.js';
import { type Announcement, AnnouncementRepository } from '../webhooks/announcement.repository.js';
import { ChannelRepository, type NodeHoldings } from '../storage/channel.repository.js';
import { Announcements, subjectKey } from '../webhooks/announcements.js';
import { WebhooksService } from '../webhooks/webhooks.service.js';
import { NodesService } from './nodes.service.js';

/** Under this name, a process holds what one before it has left behind. */
export const previousProcess = 'previous process';

const againMs = 1000;

/**
 * Takes over what a process has left behind that was killed while shared state was in its memory: all that webhooks have
 * reported to be there. As with a dead process in Redis, it stays for as long as clients need to return, and what has
 * not returned by then is removed and announced.
 */
@Injectable()
export class LeftBehind implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Nodes');
  private left: readonly Announcement[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly repository: AnnouncementRepository,
    private readonly announcements: Announcements,
    private readonly channels: ChannelRepository,
    private readonly presence: PresenceService,
    private readonly nodes: NodesService,
    private readonly apps: Apps,
    private readonly webhooks: WebhooksService,
    private readonly settings: ChannelsSettings,
  ) {}

  /** Before clients come back. */
  async onModuleInit(): Promise<void> {
    this.left = await this.repository.all();
    if (this.left.length === 0) return;
    const { channels, members } = leftBehindBy(this.left);
    await this.channels.announce(previousProcess, channels);
    await this.presence.announceFor(previousProcess, members);
  }

  onApplicationBootstrap(): void {
    if (this.left.length > 0) this.takeOutAfter(this.settings.webhooks.returnMs);
  }

  onApplicationShutdown(): void {
    clearTimeout(this.timer);
  }

  private takeOutAfter(delayMs: number): void {
    this.timer = setTimeout(() => {
      this.takeOut().catch((error: unknown) => {
        this.logger.error(`What a killed process has left behind was not removed; trying again: ${String(error)}`);
        this.takeOutAfter(againMs);
      });
    }, delayMs).unref();
  }

  private async takeOut(): Promise<void> {
    this.logger.log('Clients of a process that was killed and that have not returned are reported gone');
    await this.nodes.takeOut(previousProcess);
    const kept = new Set((await this.repository.all()).map(subjectKey));
    for (const each of this.left) await this.settle(each, kept.has(subjectKey(each)));
    this.left = [];
  }

  /** @param isKept if not, a process that was still stopping has reported it gone, even if it has returned here */
  private async settle(left: Announcement, isKept: boolean): Promise<void> {
    const app = await this.apps.findById(left.appId);
    if (!app) return this.announcements.save({ ...left, isThere: false });
    const { channel, userId } = left;
    if (isKept || !(await this.isThere(left))) return;
    if (userId === '') this.webhooks.emit(app, { name: 'channel_occupied', channel });
    else if (channel === '') this.webhooks.emit(app, { name: 'user_online', user_id: userId });
    else this.webhooks.emit(app, { name: 'member_added', channel, user_id: userId });
  }

  private async isThere({ appId, channel, userId }: Announcement): Promise<boolean> {
    if (userId === '') return (await this.channels.subscriptionCounts(appId, [channel]))[0]! > 0;
    const members = await this.presence.members({ scope: appId, name: channel || sessionsOf(userId) });
    return members.some((member) => member.userId === userId);
  }
}

/** What is announced, as holdings of a process. */
export function leftBehindBy(announced: readonly Announcement[]): {
  readonly channels: NodeHoldings;
  readonly members: readonly Presence[];
} {
  const channels = announced
    .filter(({ userId }) => userId === '')
    .map(({ appId, channel }) => ({ appId, channel, connections: 1 }));
  const members = announced
    .filter(({ userId }) => userId !== '')
    .map(({ appId, channel, userId, userInfoJson }) => ({
      room: { scope: appId, name: channel || sessionsOf(userId) },
      connectionId: `${previousProcess} ${userId}`,
      member: { userId, ...(userInfoJson !== undefined && { userInfoJson }) },
    }));
  return { channels: { channels, admitted: [] }, members };
}
