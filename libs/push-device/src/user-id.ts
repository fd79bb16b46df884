import { isStorable } from '#common';

export const maxUserIdLength = 164;

/** Whether a JWT's subject is a valid user id: 1 to 164 characters (api § User identity). */
export const isUserId = (id: string): boolean =>
  id !== '' && Array.from(id).length <= maxUserIdLength && isStorable(id);
