import { describing, type DescribedOperation, jsonRefusal, type Refusal, RouteNotFound } from '#http';
import { refusals } from '../../push-device.errors.js';
import { fault, instanceId, otherContentType } from './refusals.js';

const { inPath, refused, text } = describing;

const platform = inPath(
  'platform',
  'The platform of the device',
  { type: 'string', enum: ['apns', 'fcm', 'web'] },
  'fcm',
);
/** The parameters that name a device. */
export const ofDevice = [
  platform,
  inPath('deviceId', 'The id answered to its registration', text, 'fcm-4f4a0d8c-6f5e-4c2e-8a57-1d2f6d7a9b10'),
];

/** The possible answers of every operation (api § Push device API (statuses)). */
const always = () => [
  otherContentType,
  jsonRefusal(refusals.missingInstanceId()),
  jsonRefusal(refusals.invalidInstanceId()),
  jsonRefusal(refusals.instanceDisabled()),
  jsonRefusal(refusals.instanceNotFound()),
  fault,
];

/** Where the path names a device. */
export const ofADevice = () => [refusals.missingDeviceId(), refusals.deviceNotFound(), new RouteNotFound()];
/** Where the device is changed. */
export const ofAWrite = () => [...ofADevice(), refusals.tooManyWrites(1)];
/** For operations that distinguish an invalid id from an unknown one. */
export const nameOfDevice = () => [refusals.invalidDeviceId()];

/** An operation of the device API. */
export const operation = (
  { parameters = [], ...said }: Omit<DescribedOperation, 'security'> & Partial<Pick<DescribedOperation, 'security'>>,
  errors: readonly Error[] = [],
  more: readonly Refusal[] = [],
): DescribedOperation => ({
  security: [],
  ...said,
  parameters: [instanceId, ...parameters],
  responses: { ...said.responses, ...refused([...always(), ...more, ...errors.map(jsonRefusal)]) },
});

export const empty = { 200: { description: 'Done; the body is empty' } };
