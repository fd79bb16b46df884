import type { Advice } from '../wing.js';

/** What Apple and this server say of channels and start tokens. For people: the texts may change. */
export const advice: Advice = {
  apns: [
    [
      /^CannotCreateChannelConfig$/,
      'The app has 10,000 broadcast channels, the most that Apple allows.',
      'Delete the channels of interests that you no longer use; docs/live-activities.md says how.',
    ],
    [
      /^FeatureNotEnabled$/,
      'Broadcasts are not enabled for the app.',
      'Enable Broadcast for the identifier of the app, under Push Notifications, in the developer account.',
    ],
    [
      /^ChannelNotRegistered$/,
      'Apple knows neither the broadcast channel nor one that was just created in its place.',
      'Publish again.',
    ],
    [
      /^ChannelOfProduction$/,
      "The activity would listen to a channel of production, which Apple's sandbox does not know.",
      'Nothing, if the device runs a development build.',
    ],
    [
      /^ChannelReserved$/,
      'Another process is creating the broadcast channel.',
      'You need do nothing: Rookery retries until the time to live ends.',
    ],
    [
      /^StartTokenUnregistered$/,
      'The token that starts Live Activities on the device is no longer valid.',
      'Nothing: the token is removed, and the app registers a new one.',
    ],
  ],
};
