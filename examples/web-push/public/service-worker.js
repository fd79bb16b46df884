// The SDK's worker. Listeners of your own go below it: it leaves alone what is not Rookery's.
import '/beams/service-worker';

self.PusherPushNotifications.endpointOverride = self.location.origin;
