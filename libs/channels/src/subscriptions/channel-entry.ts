import { Injectable } from '@nestjs/common';
import type { Member } from 'rookery/presence';
import { afterUndo, allOf, type Step } from '../all-of.js';
import { Slot } from '../connections/slot.js';
import type { Connection, Subscription } from '../connections/connection.js';
import type { Frame } from '../frames/frame.js';
import type { AlreadySent } from '../frames/known-frames.js';
import { Hub } from '../hub/hub.js';
import { type Authorized, SubscriptionAuthorization } from './subscription-authorization.js';
import { type JoinedPart, type SubscriptionPart, SubscriptionParts } from './subscription-part.js';

/** A connection that is on a channel, and whose messages are held. */
export interface Joined {
  readonly subscription: Subscription;
  /** Of the parts that have something to do with it. */
  readonly parts: readonly JoinedPart[];
}

/** The presence channels that connections are joining: the repository may have them as members already. */
export const joiningMembers = new Slot<Map<string, Member>>();

/** Adds connections to channels and removes them: the second step of a subscription, its last, and its end. */
@Injectable()
export class ChannelEntry {
  /** The parts that have something to undo, the last first. */
  private readonly leaving: readonly SubscriptionPart[];

  constructor(
    private readonly authorization: SubscriptionAuthorization,
    private readonly hub: Hub,
    private readonly parts: SubscriptionParts,
  ) {
    this.leaving = parts.all.filter((part) => part.exit).toReversed();
  }

  /**
   * From here on the channel's messages are held for the connection. A part that fails halfway leaves nothing behind that
   * would never be removed.
   */
  async enter(connection: Connection, { subscription: asked, isUpToHost }: Authorized): Promise<Joined> {
    const { channel } = asked;
    const undo: Step[] = [];
    try {
      await this.hub.prepare(connection, channel.name);
      const subscription = isUpToHost ? await this.authorization.askHost(connection, channel) : asked;
      const { member } = subscription;
      if (member)
        (joiningMembers.of(connection) ?? joiningMembers.set(connection, new Map())).set(channel.name, member);
      const parts: JoinedPart[] = [];
      for (const part of this.parts.all) {
        const joined = part.enter({ connection, subscription, undo });
        if (joined) parts.push(await joined);
      }
      return { subscription, parts };
    } catch (error) {
      return await afterUndo(error, [() => this.hub.leave(connection, channel.name), ...undo.toReversed()]);
    } finally {
      joiningMembers.of(connection)?.delete(channel.name);
    }
  }

  /** Ends the hold: the channel's messages go to the connection, without those that it knows. */
  release(connection: Connection, { subscription, parts }: Joined): void {
    for (const part of parts) part.confirmed?.();
    this.hub.release(connection, subscription.channel.name, knownBy(parts));
    for (const part of parts) part.released?.();
  }

  /** The client's own wish, or a revocation: call it before {@link exit}. */
  unsubscribed(connection: Connection, channel: string): void {
    for (const part of this.parts.all) part.unsubscribed?.(connection, channel);
  }

  /** Undoes {@link enter}; all parts of it, also when one fails. */
  exit(connection: Connection, subscription: Subscription): Promise<void> {
    const exits = this.leaving.map((part) => () => part.exit?.(connection, subscription));
    return allOf([() => this.hub.leave(connection, subscription.channel.name), ...exits]);
  }
}

/** What the client knows by any of the parts. */
function knownBy(parts: readonly JoinedPart[]): AlreadySent {
  let all: AlreadySent = {};
  for (const part of parts) {
    const known = part.alreadySent?.();
    if (!known) continue;
    const has = all.has && known.has ? either(all.has, known.has) : (known.has ?? all.has);
    all = { ...all, ...known, ...(has && { has }) };
  }
  return all;
}

const either =
  (one: (frame: Frame) => boolean, other: (frame: Frame) => boolean) =>
  (frame: Frame): boolean =>
    one(frame) || other(frame);
