import { ApiError, type DescribedApi, describesApi, type Endpoint, jsonRefusal, RouteNotFound } from '#http';
import { describedPush, deviceRefusals } from 'rookery/internal/push-device';

const { instanceId, otherContentType, noJsonObject, fault, unavailable } = describedPush;

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
  unavailable,
];

const bodyErrors = [otherContentType, noJsonObject];
const overLimit = () =>
  jsonRefusal(new ApiError('body_too_large', 400, 'Bad request', 'Request body size is too large (max 10KiB).'));

const withKey = ({ parameters = [], requestBody, refuses = [] }: Endpoint) => ({
  security: [{ secretKey: [] }],
  parameters: [instanceId, ...parameters],
  refusals: [...(requestBody ? [...bodyErrors, overLimit()] : []), ...always(), ...refuses.map(jsonRefusal)],
});

/** Describes an endpoint that requires the secret key. */
export const WithKey = describesApi(withKey);

/** Rookery never sends it: the hosted service does when a plan's limits are exceeded. */
const overPlan = {
  402: { description: "The hosted service's plan limits are exceeded. Rookery has no plans and never answers this" },
};

/** Describes a publish. */
export const Publishing = describesApi((endpoint) => ({ ...withKey(endpoint), others: overPlan }));

/** Describes an endpoint without a key: devices send reports without one. */
export const Open = describesApi(({ parameters = [], refuses = [] }) => ({
  security: [],
  parameters: [instanceId, ...parameters],
  refusals: [...bodyErrors, fault, unavailable, ...refuses.map(jsonRefusal)],
}));

/** The refusals of a page of a list. */
export const badPage = () => [deviceRefusals.invalidLimit(), deviceRefusals.invalidCursor()];

export const empty = { description: 'Done; the body is empty' };
