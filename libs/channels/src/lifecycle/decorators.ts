// Each of these decorators subscribes a provider's method to an event, in whichever process it happens. The method is
// called once over all processes, in the order of the channel and after the webhooks' delay. If it throws, it is called
// again on the schedule of webhook retries. In a pattern, `*` matches any characters.
import { applyDecorators } from '@nestjs/common';
import { calledBy } from '#common';
import { listensTo } from '#webhooks';

/** The module that calls the methods. */
export const channelsModule = { module: 'ChannelsModule', forRoot: 'forRoot({ apps })', from: 'rookery/channels' };

/** Subscribes a method to an event. */
export const on = (decorator: string, event: string, pattern: string): MethodDecorator =>
  applyDecorators(listensTo(event, pattern), calledBy(decorator, channelsModule));

/** A channel got its first subscriber. The method gets a ChannelActivity. */
export const OnChannelOccupied = (channels = '*'): MethodDecorator =>
  on('OnChannelOccupied', 'channel_occupied', channels);

/** A channel lost its last subscriber, and none returned within the delay. The method gets a ChannelActivity. */
export const OnChannelVacated = (channels = '*'): MethodDecorator =>
  on('OnChannelVacated', 'channel_vacated', channels);

/** A user joined a presence channel. The method gets a MemberActivity. */
export const OnMemberAdded = (channels = '*'): MethodDecorator => on('OnMemberAdded', 'member_added', channels);

/** A user left a presence channel, and did not return within the delay. The method gets a MemberActivity. */
export const OnMemberRemoved = (channels = '*'): MethodDecorator => on('OnMemberRemoved', 'member_removed', channels);

/** A client sent an event, such as `client-typing`. The method gets a ClientEventActivity. */
export const OnClientEvent = (events = '*'): MethodDecorator => on('OnClientEvent', 'client_event', events);

/** A client subscribed to a cache channel without a remembered event. The method gets a ChannelActivity. */
export const OnCacheMiss = (channels = '*'): MethodDecorator => on('OnCacheMiss', 'cache_miss', channels);

/** A user signed in on their first connection. The method gets a UserActivity. */
export const OnUserOnline = (userIds = '*'): MethodDecorator => on('OnUserOnline', 'user_online', userIds);

/** A user's last connection closed, and the user did not return within the delay. The method gets a UserActivity. */
export const OnUserOffline = (userIds = '*'): MethodDecorator => on('OnUserOffline', 'user_offline', userIds);
