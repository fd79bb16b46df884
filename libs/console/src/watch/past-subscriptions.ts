import type { ShownConnectionInFull } from 'rookery/internal/channels';
import type { Recorded } from './trace.js';

const userChannel = (userId: string): string => `#server-to-user-${userId}`;

/** Which of some connections were on a channel. It starts with what holds now, and goes back in time, a step at a time. */
export class PastSubscriptions {
  private readonly byChannel = new Map<string, Set<string>>();

  /**
   * @param open the connections that are open now
   * @param signIns the user that each connection, also of those that have ended, was signed in as
   */
  constructor(
    open: readonly ShownConnectionInFull[],
    private readonly signIns: ReadonlyMap<string, string>,
  ) {
    for (const { socketId, channels, isSignedIn, userId } of open)
      for (const channel of isSignedIn ? [...channels, userChannel(userId ?? '')] : channels)
        this.add(channel, socketId);
  }

  /** Whether one of the connections was on the channel, besides that one. */
  has(channel: string, except: string): boolean {
    const sockets = this.byChannel.get(channel);
    return sockets !== undefined && sockets.size > (sockets.has(except) ? 1 : 0);
  }

  /** Goes back to before the step. */
  undo({ observed: { kind, socketId, channel, userId }, channels }: Recorded): void {
    if (socketId === undefined) return;
    if (kind === 'subscribed') this.remove(channel!, socketId);
    else if (kind === 'unsubscribed') this.add(channel!, socketId);
    else if (kind === 'signed_in') this.remove(userChannel(userId!), socketId);
    else if (kind === 'disconnected') {
      for (const each of channels ?? []) this.add(each, socketId);
      const user = this.signIns.get(socketId);
      if (user !== undefined) this.add(userChannel(user), socketId);
    }
  }

  private add(channel: string, socketId: string): void {
    const sockets = this.byChannel.get(channel) ?? new Set();
    this.byChannel.set(channel, sockets.add(socketId));
  }

  private remove(channel: string, socketId: string): void {
    const sockets = this.byChannel.get(channel);
    if (sockets?.delete(socketId) && sockets.size === 0) this.byChannel.delete(channel);
  }
}
