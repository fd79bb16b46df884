import { ProtocolError } from './protocol-error.js';

/**
 * A user's info, as it was sent; an empty object when there is none (channels-wire §3.4, §3.6).
 * @throws ProtocolError when it is too large
 */
export function userInfo(json: string | undefined, maxBytes: number): { readonly userInfoJson?: string } {
  if (json === undefined || json === 'null') return {};
  if (Buffer.byteLength(json) > maxBytes)
    throw ProtocolError.invalidMember(`user_info is larger than ${maxBytes} bytes`);
  return { userInfoJson: json };
}
