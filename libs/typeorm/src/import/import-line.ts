import {
  type ApnsEnvironment,
  apnsEnvironments,
  isApnsToken,
  isDeviceId,
  isInterest,
  isPlatform,
  isStorable,
  isUserId,
  maxInterestsPerDevice,
  parseWebToken,
  type Platform,
} from 'rookery/internal/push-device';

/** The device of one line of an import. */
export interface ImportedDevice {
  readonly platform: Platform;
  readonly token: string;
  readonly bundleIdentifier?: string;
  /** The device's own id, if it should keep it. */
  readonly id?: string;
  readonly userId?: string;
  /** All of its interests; absent: they stay unchanged. */
  readonly interests?: readonly string[];
  /** Apple's environment that issued the token; absent: an earlier one stays. */
  readonly environment?: ApnsEnvironment;
  /** Apple's push-to-start token; absent: an earlier one stays. */
  readonly startToken?: string;
}

const fields = [
  'platform',
  'token',
  'bundleIdentifier',
  'id',
  'userId',
  'interests',
  'environment',
  'startToken',
] satisfies readonly (keyof ImportedDevice)[];
const isField = (name: string): boolean => (fields as readonly string[]).includes(name);

const maxTokenLength = 8192;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '' && isStorable(value);

/** Parses the device of a line of JSON, or returns the reason to refuse the line. */
export function importedDevice(line: string): ImportedDevice | { readonly refused: string } {
  let given: unknown;
  try {
    given = JSON.parse(line);
  } catch {
    return { refused: 'it is not JSON' };
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { refused: 'it is not a JSON object' };
  const refused = wrongIn(given as Readonly<Record<string, unknown>>);
  return refused === undefined ? inLowerCase(given as ImportedDevice) : { refused }; // The checks above cover all fields.
}

/** Apple's tokens are kept as devices register them. */
function inLowerCase(device: ImportedDevice): ImportedDevice {
  const { platform, token, startToken } = device;
  if (platform !== 'apns') return device;
  return {
    ...device,
    token: token.toLowerCase(),
    ...(startToken !== undefined && { startToken: startToken.toLowerCase() }),
  };
}

function wrongIn(device: Readonly<Record<string, unknown>>): string | undefined {
  const { platform, token, bundleIdentifier, id, userId, interests, environment, startToken } = device;
  const unknown = Object.keys(device).find((name) => !isField(name));
  if (unknown !== undefined) return `${unknown} is not a field: it can have ${fields.join(', ')}`;
  if (typeof platform !== 'string' || !isPlatform(platform)) return 'platform must be apns, fcm or web';
  if (!isText(token) || token.length > maxTokenLength) return 'token must be a text of at most 8192 characters';
  if (platform === 'apns' && !isApnsToken(token)) return 'token must be at most 200 hexadecimal digits';
  if (platform === 'web' && !isSubscription(token)) return 'token must be the base64 of a PushSubscription';
  if (platform === 'apns' && !isText(bundleIdentifier)) return 'bundleIdentifier must be a text';
  if (bundleIdentifier !== undefined && !isText(bundleIdentifier)) return 'bundleIdentifier must be a text';
  if (id !== undefined && !(typeof id === 'string' && isDeviceId(platform, id)))
    return `id must begin with ${platform}- and have at most 100 letters, digits, _ and -`;
  if (userId !== undefined && !(typeof userId === 'string' && isUserId(userId)))
    return 'userId must have 1 to 164 characters';
  if (platform !== 'apns' && (environment ?? startToken) !== undefined)
    return 'only apns devices have environment and startToken';
  if (environment !== undefined && !(apnsEnvironments as readonly unknown[]).includes(environment))
    return `environment must be ${apnsEnvironments.join(' or ')}`;
  if (startToken !== undefined && !isApnsToken(startToken)) return 'startToken must be at most 200 hexadecimal digits';
  if (interests === undefined) return undefined;
  if (!Array.isArray(interests) || !interests.every(isInterest)) return 'interests must be names of interests';
  return interests.length > maxInterestsPerDevice ? `interests must be at most ${maxInterestsPerDevice}` : undefined;
}

function isSubscription(token: string): boolean {
  try {
    parseWebToken(token);
    return true;
  } catch {
    return false;
  }
}
