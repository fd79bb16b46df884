import { Get } from '@nestjs/common';
import { describing } from '#http';
import { CurrentInstance } from '../instances/instance.guard.js';
import type { Instance } from '../instance.js';
import { refusals } from '../push-device.errors.js';
import { OfDevices } from './described-device.js';
import { DeviceApi } from './device-api.js';

const { answer, shape, text } = describing;

@DeviceApi('web-vapid-public-key')
export class WebVapidPublicKeyController {
  @Get()
  @OfDevices('The key to which browsers bind their subscriptions', () => ({
    answers: answer('The public key', shape({ vapidPublicKey: text })),
    refuses: [refusals.webPushNotConfigured()],
  }))
  find(@CurrentInstance() { web }: Instance) {
    if (!web) throw refusals.webPushNotConfigured();
    return { vapidPublicKey: web.vapidPublicKey };
  }
}
