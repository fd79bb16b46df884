import type { FactoryProvider } from '@nestjs/common';
import { replaceable, RequestRates } from '#common';
import { PathPrefixes } from '#http';
import { PublishSettings } from '../publish.options.js';
import { ApnsGateway } from './apns/apns.gateway.js';
import { FcmGateway } from './fcm/fcm.gateway.js';
import type { PushGateway } from './push.gateway.js';
import { PushGateways } from './push-gateways.js';
import { WebPushGateway } from './web/web-push.gateway.js';

/**
 * PushGateway is one port with an implementation per platform. Their classes are the tokens, so that a test can call
 * `overrideProvider(FcmGateway)`.
 */
export const gatewayPorts = {
  /** @default ApnsGateway */
  apnsGateway: replaceable<PushGateway>(ApnsGateway, ApnsGateway),
  /** @default FcmGateway */
  fcmGateway: replaceable<PushGateway>(FcmGateway, {
    inject: [PublishSettings, RequestRates],
    useFactory: ({ fcmPerMinute: perMinute }: PublishSettings, rates: RequestRates) =>
      new FcmGateway({ quota: { perMinute, rates } }),
  }),
  /** @default WebPushGateway */
  webGateway: replaceable<PushGateway>(WebPushGateway, {
    inject: [PublishSettings, PathPrefixes],
    useFactory: ({ allowPrivateNetwork, webPushHosts, publicUrl }: PublishSettings, { base }: PathPrefixes) =>
      new WebPushGateway({
        allowPrivateNetwork,
        allowedHosts: webPushHosts,
        ...(publicUrl !== undefined && { publicUrl: publicUrl.replace(/\/+$/, '') + base }),
      }),
  }),
};

/** The provider of the set of the three gateways. */
export const pushGateways: FactoryProvider<PushGateways> = {
  provide: PushGateways,
  inject: [ApnsGateway, FcmGateway, WebPushGateway],
  useFactory: (...gateways: PushGateway[]) => new PushGateways(gateways),
};
