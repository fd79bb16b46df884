import { bodySchemaOf } from '#common';
import { describing } from '#http';
import { deviceRefusals } from 'rookery/internal/push-device';
import { withKey, withKeyAndBody } from '../../access/with-key.js';
import { tooManyRequests, unprocessable } from '../../publish.errors.js';
import { ChannelRequest } from './channel-request.js';
import { appleIsBusy, channelRefused } from './live-activities.errors.js';

const { answer, body, inPath, may, shape, text } = describing;

const app = { bundleIdentifier: 'com.example.app' };
const interest = inPath('interest', 'The name of the interest', text, 'hello');
const channel = shape({ channelId: text, bundleIdentifier: text, storesLatest: { type: 'boolean' } });
const errors = () => [
  deviceRefusals.invalidInterest(),
  unprocessable('`bundleIdentifier`: bundleIdentifier is required'),
  channelRefused('Apple refuses the channel: CannotCreateChannelConfig'),
  tooManyRequests(1, 100),
  appleIsBusy('TooManyRequests', 1),
];

/** api § Live Activities. */
export const describedChannels = () => ({
  '/customer_api/v1/instances/{instanceId}/interests/{interest}/channel': {
    put: withKeyAndBody(
      {
        summary: "Apple's broadcast channel of an interest for an app, created if there is none",
        parameters: [interest],
        requestBody: body(bodySchemaOf(ChannelRequest), app),
        responses: {
          200: answer('The channel', channel, { ...app, channelId: 'dHN0LXNyY2gtY2hubA==', storesLatest: true }),
        },
      },
      errors(),
    ),
    delete: withKey(
      {
        summary: "Delete Apple's broadcast channel of an interest for an app",
        parameters: [interest, { ...may('bundleIdentifier', 'The bundle identifier of the app'), required: true }],
        responses: { 200: { description: 'Done; the body is empty' } },
      },
      errors(),
    ),
  },
});
