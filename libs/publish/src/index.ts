// Extending
export * from './delivery/push.gateway.js';
export { ApnsGateway, type ApnsGatewayOptions } from './delivery/apns/apns.gateway.js';
export { FcmGateway, type FcmGatewayOptions } from './delivery/fcm/fcm.gateway.js';
export { WebPushGateway, type WebPushGatewayOptions } from './delivery/web/web-push.gateway.js';
