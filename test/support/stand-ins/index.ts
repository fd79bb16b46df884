// The push services of Apple, Google and the browser vendors, on localhost over TLS. A gateway must trust
// `authority` of ../tls, and web push must be allowed the private network.
export { standInApns, type ApnsAnswer, type ReceivedApns, type StandInApns, type StandInApnsOptions } from './apns.js';
export { type ReceivedBroadcast, StandInChannels } from './apns-channels.js';
export {
  fcmError,
  standInFcm,
  type FcmAnswer,
  type ReceivedFcm,
  type StandInFcm,
  type StandInFcmOptions,
} from './fcm.js';
export {
  standInWebPush,
  type ReceivedWebPush,
  type StandInSubscription,
  type StandInWebPush,
  type StandInWebPushOptions,
  type WebPushAnswer,
} from './web-push.js';
