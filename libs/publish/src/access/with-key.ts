import { ApiError, describing, type DescribedApi, type DescribedOperation, jsonRefusal, RouteNotFound } from '#http';
import { describedPush, deviceRefusals } from 'rookery/internal/push-device';
import { tooManyRequests } from '../publish.errors.js';

const { refused } = describing;
const { instanceId, otherContentType, noJsonObject, fault } = describedPush;

export const secretKey: DescribedApi['securitySchemes'] = {
  secretKey: { type: 'http', scheme: 'bearer', description: 'The secret key of the instance' },
};

/** The answers of an operation that requires the secret key (api § Push publish API (statuses)). */
const always = () => [
  jsonRefusal(deviceRefusals.missingInstanceId()),
  jsonRefusal(deviceRefusals.keyMissing()),
  jsonRefusal(deviceRefusals.incorrectKey()),
  jsonRefusal(deviceRefusals.instanceDisabled()),
  jsonRefusal(deviceRefusals.instanceNotFound()),
  jsonRefusal(new RouteNotFound()),
  fault,
];

type Said = Omit<DescribedOperation, 'security'>;

export const withKey = ({ parameters = [], ...said }: Said, errors: readonly Error[] = []): DescribedOperation => ({
  ...said,
  security: [{ secretKey: [] }],
  parameters: [instanceId, ...parameters],
  responses: { ...said.responses, ...refused([...always(), ...errors.map(jsonRefusal)]) },
});

const bodyErrors = [otherContentType, noJsonObject];
const overLimit = () =>
  jsonRefusal(new ApiError('body_too_large', 400, 'Bad request', 'Request body size is too large (max 10KiB).'));

/** Rookery never sends it: the hosted service does when a plan's limits are exceeded. */
const overPlan = {
  402: { description: "The hosted service's plan limits are exceeded. Rookery has no plans and never answers this" },
};

/** An operation with a body. */
export function withKeyAndBody(said: Said, errors: readonly Error[]): DescribedOperation {
  const operation = withKey(said, errors);
  return {
    ...operation,
    responses: {
      ...operation.responses,
      ...refused(
        [...bodyErrors, overLimit(), ...always(), ...errors.map(jsonRefusal)].filter(({ status }) => status === 400),
      ),
    },
  };
}

/** A publish. */
export function publishing(said: Said, errors: readonly Error[]): DescribedOperation {
  const operation = withKeyAndBody(said, [...errors, tooManyRequests(1, 100)]);
  return { ...operation, responses: { ...operation.responses, ...overPlan } };
}

/** An operation without a key: devices send reports without one. */
export const open = ({ parameters = [], ...said }: Said, errors: readonly Error[]): DescribedOperation => ({
  ...said,
  security: [],
  parameters: [instanceId, ...parameters],
  responses: { ...said.responses, ...refused([...bodyErrors, fault, ...errors.map(jsonRefusal)]) },
});
