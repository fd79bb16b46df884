import { isUserId, type ChannelsLimits } from 'rookery/internal/channels';
import { isObject, isStorable } from '#common';

/** A member of a presence channel, or a user, as defined by the protocol. */
export interface Member {
  readonly userId: string;
  /** JSON. */
  readonly userInfo?: string;
}

type Limits = Pick<ChannelsLimits, 'userIdLength' | 'presenceUserBytes'>;

/**
 * Converts a method's return value to a member.
 * @throws Error naming the method, if it is invalid
 */
export function memberOf(answer: unknown, method: string, limits: Limits): Member {
  if (!isObject(answer)) throw wrongAnswer(method, '{ id, info } or false', answer);
  const id = typeof answer['id'] === 'number' ? String(answer['id']) : answer['id'];
  if (typeof id === 'string' && !isStorable(id))
    throw wrongAnswer(method, 'an id without NUL or half a surrogate pair', id);
  if (!isUserId(id, limits.userIdLength))
    throw wrongAnswer(method, `an id of 1 to ${limits.userIdLength} characters`, answer['id']);
  const userInfo = JSON.stringify(answer['info'] ?? undefined) as string | undefined;
  if (userInfo === undefined) return { userId: id };
  if (Buffer.byteLength(userInfo) > limits.presenceUserBytes)
    throw new Error(`${method} answered an info of more than ${limits.presenceUserBytes} bytes of JSON`);
  return { userId: id, userInfo };
}

/** A method of the host returned an invalid value. */
export const wrongAnswer = (method: string, expected: string, answer: unknown): Error =>
  new Error(
    `${method} must answer ${expected}, and answered ${kindOf(answer)}. ` +
      'If an interceptor wraps answers, have it skip methods for which isAuthorizer(context) is true',
  );

const kindOf = (answer: unknown): string =>
  typeof answer === 'object' && answer !== null ? `an object with ${Object.keys(answer).join(', ')}` : typeof answer;
