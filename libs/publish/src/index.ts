// Extending
export * from './delivery/push.gateway.js';
export { ApnsGateway, type ApnsGatewayOptions } from './delivery/apns/apns.gateway.js';
