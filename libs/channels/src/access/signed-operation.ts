import { type DescribedApi, describesApi, describing } from '#http';
import {
  bodyTooLarge,
  dataTooLarge,
  differentRequest,
  disabled,
  notJsonObject,
  tooManyTriggers,
  unauthorized,
} from '../channels.errors.js';
import { textRefusal } from './text-refusal.js';

const { inPath, may } = describing;

/** The query parameters of a signature, always together (api § Authentication). */
const parts = {
  auth_key: "The app's key",
  auth_timestamp: "Epoch seconds, within 600 of the server's clock",
  auth_version: 'Always 1.0',
  auth_signature:
    'The hexadecimal HMAC-SHA256, with the secret of the app, of the method, the path (a prefix before /apps may be left ' +
    'out) and the other parameters of the query (sorted, as key=value joined by &), each on a line of its own',
};

/** A signed request proves knowledge of the app's secret. */
export const signature: DescribedApi['securitySchemes'] = Object.fromEntries(
  Object.entries(parts).map(([name, description]) => [name, { type: 'apiKey', in: 'query', name, description }]),
);

const signatureNeeded = [Object.fromEntries(Object.keys(parts).map((name) => [name, []]))];

const bodyDigest = may('body_md5', 'For requests with a body: its MD5 in lower-case hexadecimal, which is signed too');
const appId = inPath('appId', 'The id of the app', { type: 'string' }, 'app-id');

/** An `Idempotency-Key`: api § Idempotency-Key. */
export const idempotencyKey = may(
  'Idempotency-Key',
  'A repeat with the same key gets the first answer, without any further effect',
  { type: 'string', minLength: 1, maxLength: 255 },
  'header',
);

/** The refusals of requests that carry an event. */
export const refusedEvents = () => [dataTooLarge(10_240), differentRequest(), tooManyTriggers(100)];

// The log has the details of an error; the answer reveals none.
export const fault = { status: 500, contentType: 'text/plain', body: 'Internal server error\n' };
export const unavailable = {
  status: 503,
  contentType: 'text/plain',
  body: 'Service unavailable\n',
  headers: { 'retry-after': '1' },
};

/** The answers that any signed request may get (api § Channel server API (statuses), channels-wire §6.1). */
const always = () => [
  textRefusal(notJsonObject()),
  textRefusal(unauthorized('Timestamp required')),
  textRefusal(disabled()),
  textRefusal(bodyTooLarge(1_048_576)),
  fault,
  unavailable,
];

/** Describes an endpoint of the Channels HTTP API. */
export const Signed = describesApi(({ parameters = [], requestBody, refuses = [] }) => ({
  security: signatureNeeded,
  parameters: [appId, ...(requestBody ? [bodyDigest] : []), ...parameters],
  refusals: [...always(), ...refuses.map((error) => textRefusal(error))],
}));

export { textRefusal };
