import { platforms } from 'rookery/push-device';
import { both, type Check, fields, first, list, nestedAtMost, text, violation } from './checks.js';
import { payloadChecks } from './payload-checks.js';

const interest = text({ maxBytes: 164, pattern: /^[a-zA-Z0-9_\-=@,.;]+$/ });
// No store keeps a NUL or half a character, and no user id of the device API has one.
const user = text({ minLength: 1, maxBytes: 164, pattern: /^[^\0\p{Surrogate}]+$/u });

const webhookUrl: Check = (value, path) =>
  text({})(value, path) ?? (isWebAddress(String(value)) ? undefined : notUri(path));
const notUri = (path: string): string => violation(path, "Does not match format 'uri'");

function isWebAddress(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}

// Gateways take 4 KiB at most, which no reasonable payload fills with brackets.
const payloads = Object.fromEntries(
  platforms.map((platform) => [platform, both(nestedAtMost(100), payloadChecks[platform])]),
);

/** The schema of one kind of publish (api § Publish request): its audience is required, and at least one platform. */
function publishOf(kind: 'interests' | 'users', audience: Check): Check {
  const known = fields({ [kind]: audience, webhookUrl, ...payloads });
  const names: readonly string[] = [kind, 'webhookUrl', ...platforms];
  return (value, path) => {
    const wrong = known(value, path);
    // Only an object gets past `known` without a word; on its own mistakes, a missing audience is told first.
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong;
    if (!Object.hasOwn(value, kind)) return violation(kind, `${kind} is required`);
    return (
      wrong ??
      withoutPlatform(value) ??
      first(Object.keys(value), (name) => (names.includes(name) ? undefined : extra(name)))
    );
  };
}

const withoutPlatform = (body: object): string | undefined =>
  platforms.some((platform) => Object.hasOwn(body, platform))
    ? undefined
    : violation('(root)', 'Must validate at least one schema (anyOf)');

const extra = (name: string): string => violation(name, `Additional property ${name} is not allowed`);

/** `POST …/publishes/interests`: 1 to 100 distinct interests. */
export const interestsPublish = publishOf('interests', list(1, 100, interest));

/** `POST …/publishes/users`: 1 to 1000 distinct users. Node's types allow `webhookUrl` here too (beams-wire §3.1). */
export const usersPublish = publishOf('users', list(1, 1000, user));
