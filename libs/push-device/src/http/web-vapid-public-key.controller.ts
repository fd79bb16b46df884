import { Get } from '@nestjs/common';
import { CurrentInstance } from '../instances/instance.guard.js';
import type { Instance } from '../instance.js';
import { refusals } from '../push-device.errors.js';
import { DeviceApi } from './device-api.js';

@DeviceApi('web-vapid-public-key')
export class WebVapidPublicKeyController {
  @Get()
  find(@CurrentInstance() { web }: Instance) {
    if (!web) throw refusals.webPushNotConfigured();
    return { vapidPublicKey: web.vapidPublicKey };
  }
}
