import type { Provider } from '@nestjs/common';
import { bind, type Implementation, type Port } from 'rookery/common';
import { PublishSettings } from '../publish.options.js';
import { ApnsGateway } from './apns/apns.gateway.js';
import { FcmGateway } from './fcm/fcm.gateway.js';
import type { PushGateway } from './push.gateway.js';
import { PushGateways } from './push-gateways.js';
import { WebPushGateway } from './web/web-push.gateway.js';

// PushGateway is one port with an implementation per platform. Their classes are the tokens, so that a test can call
// `overrideProvider(FcmGateway)`.
const tokens: readonly [apns: Port<PushGateway>, fcm: Port<PushGateway>, web: Port<PushGateway>] = [
  ApnsGateway,
  FcmGateway,
  WebPushGateway,
];
const [apnsPort, fcmPort, webPort] = tokens;

/** The gateways that a host supplies in place of the built-in ones. */
export interface NamedGateways {
  readonly apnsGateway?: Implementation<PushGateway>;
  readonly fcmGateway?: Implementation<PushGateway>;
  readonly webGateway?: Implementation<PushGateway>;
}

/** The providers of the three gateways, and of the set of them. */
export const gatewayProviders = ({ apnsGateway, fcmGateway, webGateway }: NamedGateways): readonly Provider[] => [
  bind(apnsPort, apnsGateway, ApnsGateway),
  bind(fcmPort, fcmGateway, FcmGateway),
  bind(webPort, webGateway, { useFactory: webPushGateway, inject: [PublishSettings] }),
  {
    provide: PushGateways,
    useFactory: (...gateways: PushGateway[]) => new PushGateways(gateways),
    inject: [...tokens],
  },
];

const webPushGateway = ({ allowPrivateNetwork, webPushHosts: allowedHosts }: PublishSettings): PushGateway =>
  new WebPushGateway({ allowPrivateNetwork, allowedHosts });
