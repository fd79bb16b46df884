import type { Awaitable } from '#common';

/** What webhooks have reported to be there: an occupied channel, a member of one, or a user who is online. */
export interface Announcement {
  readonly appId: string;
  /** Empty for a user who is online. */
  readonly channel: string;
  /** Empty for a channel. */
  readonly userId: string;
  /** The info of a member, as JSON. */
  readonly userInfoJson?: string;
}

/** An {@link Announcement}, or its end. */
export interface AnnouncementChange extends Announcement {
  readonly isThere: boolean;
}

/**
 * Keeps what the webhooks of all apps have reported to be there and not yet to be gone, so that it can be reported gone
 * after a process was killed that held it. Where shared state outlives processes, as in Redis, nothing needs to be kept.
 *
 * - `save` stores the changes, all or none; of several changes of the same subject in one call, there is only one. It
 *   may be repeated.
 * - `all` answers everything that is kept, in any order.
 * - `close` is called once no other call follows.
 */
export abstract class AnnouncementRepository {
  abstract save(changes: readonly AnnouncementChange[]): Awaitable<void>;
  abstract all(): Awaitable<readonly Announcement[]>;
  close(): Awaitable<void> {}
}

/** Keeps nothing. */
export class NoAnnouncements extends AnnouncementRepository {
  save(): void {}
  all(): readonly Announcement[] {
    return [];
  }
}
