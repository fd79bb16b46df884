import { bodySchemaOf } from '#common';
import { describing, type DescribedApi, type DescribedOperation } from '#http';
import { deviceRefusals } from 'rookery/internal/push-device';
import { outcomes } from '../../outbox/device-outcome.js';
import { InterestsPublish, UsersPublish } from '../../publish-body.js';
import {
  alreadyFinished,
  invalidIdempotencyKey,
  invalidInstanceId,
  invalidOpenLink,
  invalidOutcome,
  invalidPublishAt,
  keyConflict,
  missingField,
  publishNotFound,
  tooManyInterests,
  tooManyRequests,
  tooManyWaiting,
  unknownInstance,
  unprocessable,
  userIdTooLong,
  webhookNotFound,
} from '../../publish.errors.js';
import { Report } from '../../reports/report.js';
import { deviceOutcomes, devicesOf, publishStatus, publishStatusExample } from './answers.js';
import { open, publishing, secretKey, withKey } from '../../access/with-key.js';
import { wings } from '../../wings/wings.js';

const { answer, body, deadLetters, inPath, may, oneOf, pageParameters, resent, shape, text } = describing;

const publishes = '/publish_api/v1/instances/{instanceId}/publishes';
const customers = '/customer_api/v1/instances/{instanceId}';
const publishId = inPath('publishId', 'The id answered to the publish', text, publishStatusExample.publishId);
const userId = inPath('userId', 'The id of the user', { type: 'string', maxLength: 164 }, 'alice');
const badPage = () => [deviceRefusals.invalidLimit(), deviceRefusals.invalidCursor()];
const empty = { 200: { description: 'Done; the body is empty' } };
const state = { 200: answer('Its state', publishStatus, publishStatusExample) };

const publish = (
  to: string,
  of: Parameters<typeof bodySchemaOf>[0],
  example: object,
): { post: DescribedOperation } => ({
  post: publishing(
    {
      summary: `Publish to ${to}`,
      parameters: [
        may(
          'Idempotency-Key',
          'A repeat with the same key sends nothing again',
          { type: 'string', maxLength: 255 },
          'header',
        ),
        may(
          'Publish-At',
          'When it is to be sent, at most 28 days ahead',
          { type: 'string', format: 'date-time' },
          'header',
        ),
      ],
      requestBody: body(bodySchemaOf(of), example),
      responses: {
        200: answer('Accepted and stored durably', shape({ publishId: text }), {
          publishId: publishStatusExample.publishId,
        }),
      },
    },
    [
      unprocessable('`interests`: interests is required'),
      invalidIdempotencyKey(),
      invalidPublishAt(),
      keyConflict(),
      tooManyWaiting(1),
    ],
  ),
});

const payload = { fcm: { notification: { title: 'Hello', body: 'world' } } };
const toInterests = () => publish('interests', InterestsPublish, { interests: ['hello'], ...payload });

const deleteUser = () => ({
  delete: withKey({ summary: 'Delete the devices of a user', parameters: [userId], responses: empty }, [
    userIdTooLong(),
    tooManyRequests(1, 100),
  ]),
});

const interest = inPath('interest', 'The name of the interest', text, 'hello');

const devices = (summary: string, parameters: readonly object[], errors: readonly Error[]) => ({
  get: withKey(
    { summary, parameters: [...parameters, ...pageParameters], responses: { 200: answer('One page', devicesOf) } },
    [...badPage(), ...errors],
  ),
});

const names = { type: 'array', items: text };
const combining = [
  may('allOf', 'Only devices subscribed to all of these interests', names),
  may('noneOf', 'Only devices subscribed to none of these interests', names),
];

/** The publish, customer and reporting APIs: api § Push publish API, with Rookery's additions. */
export const publishDescription = (): DescribedApi => ({
  tag: 'Publishing',
  securitySchemes: secretKey,
  paths: {
    // Used by SDKs before there were users.
    [publishes]: { post: { ...toInterests().post, deprecated: true } },
    [`${publishes}/interests`]: toInterests(),
    [`${publishes}/users`]: publish('users', UsersPublish, { users: ['alice'], ...payload }),
    [`${publishes}/{publishId}`]: {
      get: withKey({ summary: 'The state of a publish', parameters: [publishId], responses: state }, [
        publishNotFound(),
      ]),
      delete: withKey({ summary: 'Cancel a publish', parameters: [publishId], responses: state }, [
        publishNotFound(),
        alreadyFinished(),
      ]),
    },
    [`${publishes}/{publishId}/devices`]: {
      get: withKey(
        {
          summary: 'The outcome for each device of a publish, and what it has reported',
          parameters: [
            publishId,
            may('outcome', 'Only devices with this outcome', oneOf(...outcomes)),
            ...pageParameters,
          ],
          responses: { 200: answer('One page', deviceOutcomes) },
        },
        [...badPage(), invalidOutcome(), publishNotFound()],
      ),
    },
    [`${customers}/users/{userId}`]: deleteUser(),
    // Its former name, still used by Node's SDK.
    '/user_api/v1/instances/{instanceId}/users/{userId}': { delete: { ...deleteUser().delete, deprecated: true } },
    [`${customers}/users/{userId}/devices`]: devices('The devices of a user', [userId], [userIdTooLong()]),
    [`${customers}/interests/{interest}/devices`]: devices(
      'The devices of an interest',
      [interest, ...combining],
      [deviceRefusals.invalidInterest(), tooManyInterests()],
    ),
    ...Object.assign({}, ...wings.map(({ describe }) => describe())),
    [`${customers}/webhooks/dead`]: {
      get: withKey(
        {
          summary: 'The webhooks that were given up, oldest first',
          parameters: pageParameters,
          responses: { 200: answer('One page', deadLetters) },
        },
        badPage(),
      ),
    },
    [`${customers}/webhooks/dead/resend`]: {
      post: withKey({
        summary: 'Send all dead webhooks again',
        responses: { 200: answer('The number of webhooks', resent, { resent: 3 }) },
      }),
    },
    [`${customers}/webhooks/dead/{webhookId}/resend`]: {
      post: withKey(
        {
          summary: 'Send a dead webhook again',
          parameters: [inPath('webhookId', 'Its id')],
          responses: { 200: answer('It will be sent again', resent, { resent: 1 }) },
        },
        [webhookNotFound()],
      ),
    },
    '/reporting_api/v2/instances/{instanceId}/opens/{publishId}/{deviceId}': {
      get: open(
        {
          summary: 'Count the opening of a notification that the browser showed itself, and lead on to its link',
          parameters: [
            publishId,
            inPath('deviceId', 'The id of the device', text, 'web-4f4a0d8c-6f5e-4c2e-8a57-1d2f6d7a9b10'),
            may('to', 'Where the link leads'),
            may('signature', 'Of the link, by the server'),
          ],
          responses: { 302: { description: 'Its link; the body is empty' } },
        },
        [deviceRefusals.missingInstanceId(), invalidInstanceId(), unknownInstance(), invalidOpenLink()],
      ),
    },
    '/reporting_api/v2/instances/{instanceId}/events': {
      post: open(
        {
          summary: 'Report that a notification arrived, or was opened',
          requestBody: body(bodySchemaOf(Report), {
            event: 'delivery',
            publishId: publishStatusExample.publishId,
            deviceId: 'fcm-4f4a0d8c-6f5e-4c2e-8a57-1d2f6d7a9b10',
            timestampSecs: 1_795_251_600,
          }),
          responses: empty,
        },
        [
          deviceRefusals.missingInstanceId(),
          invalidInstanceId(),
          unknownInstance(),
          missingField('event'),
          deviceRefusals.tooManyReports(1),
        ],
      ),
    },
  },
});
