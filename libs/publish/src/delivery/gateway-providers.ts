import type { Provider } from '@nestjs/common';
import { bind, type Implementation } from 'rookery/common';
import { PublishSettings } from '../publish.options.js';
import { ApnsGateway } from './apns/apns.gateway.js';
import { FcmGateway } from './fcm/fcm.gateway.js';
import { PushGateway } from './push.gateway.js';
import { PushGateways } from './push-gateways.js';
import { WebPushGateway } from './web/web-push.gateway.js';

// PushGateway is one port with an implementation for each platform; these are their three injection tokens.
abstract class ApnsPort extends PushGateway {}
abstract class FcmPort extends PushGateway {}
abstract class WebPort extends PushGateway {}

/** The gateways that a host names in place of ours. */
export interface NamedGateways {
  readonly apnsGateway?: Implementation<PushGateway>;
  readonly fcmGateway?: Implementation<PushGateway>;
  readonly webGateway?: Implementation<PushGateway>;
}

/** The providers of the three gateways, and of all of them together. */
export const gatewayProviders = ({ apnsGateway, fcmGateway, webGateway }: NamedGateways): readonly Provider[] => [
  bind(ApnsPort, apnsGateway, ApnsGateway),
  bind(FcmPort, fcmGateway, FcmGateway),
  bind(WebPort, webGateway, { useFactory: webPushGateway, inject: [PublishSettings] }),
  {
    provide: PushGateways,
    useFactory: (...gateways: PushGateway[]) => new PushGateways(gateways),
    inject: [ApnsPort, FcmPort, WebPort],
  },
];

const webPushGateway = ({ allowPrivateNetwork, webPushHosts: allowedHosts }: PublishSettings): PushGateway =>
  new WebPushGateway({ allowPrivateNetwork, allowedHosts });
