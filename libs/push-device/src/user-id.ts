export const maxUserIdLength = 164;

/** Text that every store can keep: without NUL, which PostgreSQL refuses, and without lone surrogates. */
export const isStorable = (text: string): boolean => !/\0|\p{Surrogate}/u.test(text);

/** Whether a JWT's subject is a valid user id: 1 to 164 characters (api § User identity). */
export const isUserId = (id: string): boolean =>
  id !== '' && Array.from(id).length <= maxUserIdLength && isStorable(id);
