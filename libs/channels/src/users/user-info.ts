import type { ChannelsLimits } from '../app/channels-limits.js';
import { ProtocolError } from '../protocol/protocol-error.js';

/** A user's info, unchanged, or an empty object when there is none. */
export function userInfo(json: string | undefined, limits: ChannelsLimits): { userInfoJson?: string } {
  if (json === undefined || json === 'null') return {};
  if (Buffer.byteLength(json) > limits.presenceUserBytes)
    throw ProtocolError.invalidMember(`user_info is larger than ${limits.presenceUserBytes} bytes`);
  return { userInfoJson: json };
}
