// Each of them has a provider's method hear what happens, whichever process it happens on: once for all processes, in
// the order of its channel, after the holds of webhooks, and again when it throws, as a webhook is tried again. In a
// pattern, a `*` stands for any characters.
import { listensTo } from 'rookery/common';

/** A channel got its first subscriber. The method is given a ChannelActivity. */
export const OnChannelOccupied = (channels = '*'): MethodDecorator => listensTo('channel_occupied', channels);

/** A channel has lost its last subscriber, and none came back within the hold. Given a ChannelActivity. */
export const OnChannelVacated = (channels = '*'): MethodDecorator => listensTo('channel_vacated', channels);

/** A user came to a presence channel. The method is given a MemberActivity. */
export const OnMemberAdded = (channels = '*'): MethodDecorator => listensTo('member_added', channels);

/** A user left a presence channel, and did not come back within the hold. Given a MemberActivity. */
export const OnMemberRemoved = (channels = '*'): MethodDecorator => listensTo('member_removed', channels);

/** A client sent an event, such as `client-typing`. The method is given a ClientEventActivity. */
export const OnClientEvent = (events = '*'): MethodDecorator => listensTo('client_event', events);

/** Called when a client subscribes to a cache channel without a cached event. The method gets a ChannelActivity. */
export const OnCacheMiss = (channels = '*'): MethodDecorator => listensTo('cache_miss', channels);

/** A user signed in on their first connection. The method is given a UserActivity. */
export const OnUserOnline = (userIds = '*'): MethodDecorator => listensTo('user_online', userIds);

/** The last connection of a user is over, and no other came within the hold. Given a UserActivity. */
export const OnUserOffline = (userIds = '*'): MethodDecorator => listensTo('user_offline', userIds);
