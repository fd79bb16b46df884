import { type DescribedApi, describesApi, describing, jsonRefusal, RouteNotFound } from '#http';
import { refusals } from '../push-device.errors.js';
import { fault, instanceId, noJsonObject, otherContentType, unavailable } from './described-push.js';

const { inPath, text } = describing;

/** The possible answers of every operation (api § Push device API (statuses)). */
const always = () => [
  otherContentType,
  jsonRefusal(refusals.missingInstanceId()),
  jsonRefusal(refusals.invalidInstanceId()),
  jsonRefusal(refusals.instanceDisabled()),
  jsonRefusal(refusals.instanceNotFound()),
  fault,
  unavailable,
];

/** Describes an endpoint of the device API. */
export const OfDevices = describesApi(({ security = [], parameters = [], requestBody, refuses = [] }) => ({
  security,
  parameters: [instanceId, ...parameters],
  refusals: [...always(), ...(requestBody ? [noJsonObject] : []), ...refuses.map(jsonRefusal)],
}));

/** The token of a user. */
export const userToken: DescribedApi['securitySchemes'] = {
  userToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'A Beams token: HS256 with the secret key of the instance; `sub` is the user, `iss` the instance, `exp`',
  },
};

/** The parameters that name a device. */
export const ofDevice = [
  inPath('platform', 'The platform of the device', { type: 'string', enum: ['apns', 'fcm', 'web'] }, 'fcm'),
  inPath('deviceId', 'The id answered to its registration', text, 'fcm-4f4a0d8c-6f5e-4c2e-8a57-1d2f6d7a9b10'),
];

/** Where the path names a device. */
export const ofADevice = () => [refusals.missingDeviceId(), refusals.deviceNotFound(), new RouteNotFound()];
/** Where the device is changed. */
export const ofAWrite = () => [...ofADevice(), refusals.tooManyWrites(1)];

export const empty = { description: 'Done; the body is empty' };
