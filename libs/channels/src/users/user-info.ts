import { isObject } from 'rookery/common';
import type { ChannelsLimits } from '../channels.options.js';
import { jsonText } from '../protocol/json-text.js';
import { ProtocolError } from '../protocol/protocol-error.js';

/** @throws ProtocolError when the text is not a JSON object */
export function parsed(text: string, field: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Said below: not JSON and not an object are the same mistake.
  }
  throw ProtocolError.invalidMember(`${field} must be a JSON object`);
}

/** A user's info as JSON text, or nothing when there is none. */
export function userInfo(info: unknown, limits: ChannelsLimits): { userInfoJson?: string } {
  if (info === undefined || info === null) return {};
  const userInfoJson = jsonText(info);
  if (userInfoJson === undefined || Buffer.byteLength(userInfoJson) > limits.presenceUserBytes)
    throw ProtocolError.invalidMember(`user_info is larger than ${limits.presenceUserBytes} bytes`);
  return { userInfoJson };
}
