import { Delete, Get, HttpCode, Post, UseGuards } from '@nestjs/common';
import { bodySchemaOf } from '#common';
import { describing, RequestBody, RouteNotFound, ValidBodyGuard } from '#http';
import { DevicesService, type DevicePath } from '../devices.service.js';
import { GatewayCredentialsGuard } from './gateway-credentials.guard.js';
import { CurrentInstance } from '../instances/instance.guard.js';
import type { Instance } from '../instance.js';
import type { Platform } from '../platform.js';
import { registrationFrom } from '../registration.js';
import { refusals } from '../push-device.errors.js';
import { type DeviceRegistration, registrationOf } from './bodies.js';
import { empty, ofADevice, ofAWrite, ofDevice, OfDevices } from './described-device.js';
import { DeviceApi } from './device-api.js';
import { PathDevice, PathPlatform, PlatformGuard, platformIn } from './device-path.js';
import { ClientRateGuard, RegistrationRateGuard, WriteRateGuard } from './rate.guards.js';

const { answer, body, listOf, mapOf, shape, text } = describing;

const registration = (platform: Platform, example: object, errors: () => readonly Error[]) => () => ({
  path: `/device_api/v1/instances/{instanceId}/devices/${platform}`,
  requestBody: body(bodySchemaOf(registrationOf[platform]), example),
  answers: answer(
    'Its id, and the interests that it has from the start',
    shape({ id: text, initialInterestSet: listOf(text) }),
    { id: `${platform}-4f4a0d8c-6f5e-4c2e-8a57-1d2f6d7a9b10`, initialInterestSet: [] },
  ),
  refuses: [
    ...errors(),
    refusals.missingToken(platform),
    // Browsers need no credentials of a gateway.
    ...(platform === 'web' ? [] : [refusals.noCredentials(platform)]),
    refusals.tooManyRegistrations(1),
    new RouteNotFound(),
  ],
});

const forApns = registration('apns', { token: '0a1b2c', bundleIdentifier: 'com.example.app' }, () => [
  refusals.missingBundleIdentifier(),
  refusals.incorrectToken('apns'),
]);
const forFcm = registration('fcm', { token: 'a registration token' }, () => [refusals.incorrectToken('fcm')]);
const forWeb = registration('web', { token: 'eyJlbmRwb2ludCI6Imh0dHBzOi8v…' }, () => [
  refusals.invalidToken('web'),
  refusals.invalidSubscription('`endpoint` must be an https URL'),
]);

@DeviceApi('devices/:platform', PlatformGuard)
export class DevicesController {
  constructor(private readonly devices: DevicesService) {}

  @Post()
  @HttpCode(200)
  @OfDevices('Register an Apple device', forApns)
  @OfDevices('Register an Android device', forFcm)
  @OfDevices('Register a browser', forWeb)
  @UseGuards(ClientRateGuard, ValidBodyGuard, GatewayCredentialsGuard, RegistrationRateGuard)
  async register(
    @CurrentInstance() instance: Instance,
    @PathPlatform() platform: Platform,
    @RequestBody({ by: (context) => registrationOf[platformIn(context)] }) body: DeviceRegistration,
  ) {
    const startToken = platform === 'apns' && 'startToken' in body ? body.startToken : undefined;
    const registration = registrationFrom(platform, body);
    const { id, interests } = await this.devices.register(instance.id, registration, startToken);
    return { id, initialInterestSet: interests };
  }

  @Get(':deviceId')
  @OfDevices('A device', () => ({
    parameters: ofDevice,
    answers: answer('Its user is empty where it has none', shape({ id: text, userId: text, metadata: mapOf(text) }), {
      id: 'fcm-4f4a0d8c-6f5e-4c2e-8a57-1d2f6d7a9b10',
      userId: 'alice',
      metadata: { sdkVersion: '1.9.0' },
    }),
    refuses: ofADevice(),
  }))
  async find(@PathDevice() path: DevicePath) {
    const { id, userId = '', metadata } = await this.devices.find(path);
    return { id, userId, metadata };
  }

  @Delete(':deviceId')
  @OfDevices('Delete a device', () => ({ parameters: ofDevice, answers: empty, refuses: ofAWrite() }))
  @UseGuards(WriteRateGuard)
  remove(@PathDevice() path: DevicePath): Promise<void> {
    return this.devices.remove(path);
  }
}
