import type { ChannelsLimits } from '../app/channels-limits.js';
import { jsonFields } from '../protocol/json-fields.js';
import { ProtocolError } from '../protocol/protocol-error.js';

/** @throws ProtocolError when the text is not a JSON object */
export function fieldsOf(text: string, field: string): ReadonlyMap<string, string> {
  const fields = jsonFields(text);
  if (!fields) throw ProtocolError.invalidMember(`${field} must be a JSON object`);
  return fields;
}

/** A user's info, unchanged, or an empty object when there is none. */
export function userInfo(json: string | undefined, limits: ChannelsLimits): { userInfoJson?: string } {
  if (json === undefined || json === 'null') return {};
  if (Buffer.byteLength(json) > limits.presenceUserBytes)
    throw ProtocolError.invalidMember(`user_info is larger than ${limits.presenceUserBytes} bytes`);
  return { userInfoJson: json };
}
