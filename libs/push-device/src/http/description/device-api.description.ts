import { bodySchemaOf } from '#common';
import { describing, type DescribedApi, RouteNotFound } from '#http';
import type { Platform } from '../../platform.js';
import { refusals } from '../../push-device.errors.js';
import {
  ApnsRegistration,
  DeviceMetadata,
  FcmRegistration,
  InterestSet,
  TokenUpdate,
  WebRegistration,
} from '../bodies.js';
import { empty, nameOfDevice, ofADevice, ofAWrite, ofDevice, operation } from './operation.js';
import { noJsonObject } from './refusals.js';

const { answer, body, inPath, listOf, mapOf, pageOf, pageParameters, shape, text } = describing;

const base = '/device_api/v1/instances/{instanceId}';
const device = `${base}/devices/{platform}/{deviceId}`;

const interest = inPath('interest', 'The name of the interest', { type: 'string', maxLength: 164 }, 'hello');

const registration = (
  name: Platform,
  of: Parameters<typeof bodySchemaOf>[0],
  example: object,
  errors: readonly Error[],
) => ({
  post: operation(
    {
      summary: `Register ${{ apns: 'an Apple device', fcm: 'an Android device', web: 'a browser' }[name]}`,
      requestBody: body(bodySchemaOf(of), example),
      responses: {
        200: answer(
          'Its id, and the interests that it has from the start',
          shape({ id: text, initialInterestSet: listOf(text) }),
          {
            id: `${name}-4f4a0d8c-6f5e-4c2e-8a57-1d2f6d7a9b10`,
            initialInterestSet: [],
          },
        ),
      },
    },
    [
      ...errors,
      refusals.missingToken(name),
      refusals.noCredentials(name),
      refusals.tooManyRegistrations(1),
      new RouteNotFound(),
    ],
    [noJsonObject],
  ),
});

const badTokens = () => [
  refusals.missingAuthorization(),
  refusals.malformedAuthorization(),
  refusals.invalidSignature(),
];
const badClaims = () => [
  refusals.missingExpiration(),
  refusals.missingSubject(),
  refusals.invalidSubject(),
  refusals.missingIssuer(),
  refusals.invalidIssuer(),
];

/** The device API: api § Push device API. */
export const deviceApiDescription = (): DescribedApi => ({
  tag: 'Devices',
  securitySchemes: {
    userToken: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description:
        'A Beams token: HS256 with the secret key of the instance; `sub` is the user, `iss` the instance, `exp`',
    },
  },
  paths: {
    [`${base}/devices/apns`]: registration(
      'apns',
      ApnsRegistration,
      { token: '0a1b2c', bundleIdentifier: 'com.example.app' },
      [refusals.missingBundleIdentifier(), refusals.incorrectToken('apns')],
    ),
    [`${base}/devices/fcm`]: registration('fcm', FcmRegistration, { token: 'a registration token' }, [
      refusals.incorrectToken('fcm'),
    ]),
    [`${base}/devices/web`]: registration('web', WebRegistration, { token: 'eyJlbmRwb2ludCI6Imh0dHBzOi8v…' }, [
      refusals.invalidToken('web'),
      refusals.invalidSubscription('`endpoint` must be an https URL'),
    ]),
    [device]: {
      get: operation(
        {
          summary: 'A device',
          parameters: ofDevice,
          responses: {
            200: answer(
              'Its user is empty where it has none',
              shape({ id: text, userId: text, metadata: mapOf(text) }),
              { id: 'fcm-4f4a0d8c-6f5e-4c2e-8a57-1d2f6d7a9b10', userId: 'alice', metadata: { sdkVersion: '1.9.0' } },
            ),
          },
        },
        ofADevice(),
      ),
      delete: operation({ summary: 'Delete a device', parameters: ofDevice, responses: empty }, ofAWrite()),
    },
    [`${device}/metadata`]: {
      put: operation(
        {
          summary: 'Set the metadata of a device',
          parameters: ofDevice,
          requestBody: body(bodySchemaOf(DeviceMetadata), { sdkVersion: '1.9.0', androidVersion: '14' }),
          responses: empty,
        },
        ofAWrite(),
        [noJsonObject],
      ),
    },
    [`${base}/devices/fcm/{deviceId}/token`]: {
      put: operation(
        {
          summary: "Set Google's new token",
          parameters: ofDevice.slice(1),
          requestBody: body(bodySchemaOf(TokenUpdate), { token: 'a registration token' }),
          responses: empty,
        },
        [...ofAWrite(), refusals.missingTokenField(), refusals.invalidToken('fcm')],
        [noJsonObject],
      ),
    },
    [`${device}/user`]: {
      put: operation(
        {
          summary: 'Give a device to the user of a token',
          security: [{ userToken: [] }],
          parameters: ofDevice,
          responses: empty,
        },
        [
          ...ofAWrite(),
          ...nameOfDevice(),
          ...badTokens(),
          ...badClaims(),
          refusals.otherUser(),
          refusals.tooManyDevices(),
        ],
      ),
    },
    [`${device}/interests`]: {
      get: operation(
        {
          summary: 'The interests of a device',
          parameters: [...ofDevice, ...pageParameters],
          responses: {
            200: answer('One page', pageOf('interests', text), { interests: ['hello'], responseMetadata: {} }),
          },
        },
        [...ofADevice(), refusals.invalidLimit(), refusals.invalidCursor()],
      ),
      put: operation(
        {
          summary: 'Set all interests of a device',
          parameters: ofDevice,
          requestBody: body(bodySchemaOf(InterestSet), { interests: ['hello'] }),
          responses: empty,
        },
        [...ofAWrite(), refusals.missingInterests(), refusals.invalidInterest(), refusals.tooManyInterests()],
        [noJsonObject],
      ),
    },
    [`${device}/interests/{interest}`]: {
      post: operation({ summary: 'Add an interest', parameters: [...ofDevice, interest], responses: empty }, [
        ...ofAWrite(),
        ...nameOfDevice(),
        refusals.missingInterestName(),
        refusals.invalidInterest(),
        refusals.tooManyInterests(),
      ]),
      delete: operation({ summary: 'Remove an interest', parameters: [...ofDevice, interest], responses: empty }, [
        ...ofAWrite(),
        ...nameOfDevice(),
        refusals.missingInterestName(),
        refusals.invalidInterest(),
      ]),
    },
    [`${base}/web-vapid-public-key`]: {
      get: operation(
        {
          summary: 'The key to which browsers bind their subscriptions',
          responses: { 200: answer('The public key', shape({ vapidPublicKey: text })) },
        },
        [refusals.webPushNotConfigured()],
      ),
    },
  },
});
