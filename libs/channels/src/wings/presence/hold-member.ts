import type { Member } from 'rookery/presence';
import type { Connection } from '../../connections/connection.js';

/**
 * Notes what is known of a connection's member on a channel, unless the connection holds something newer. If shared state
 * is lost, its process restores it from this.
 * @param version of a roster that shows the member so
 */
export function holdMember({ subscriptions }: Connection, channel: string, member: Member, version: number): void {
  const subscription = subscriptions?.get(channel);
  if (!subscriptions || !subscription || (subscription.memberVersion ?? 0) >= version) return;
  subscriptions.set(channel, { ...subscription, member, memberVersion: version });
}
