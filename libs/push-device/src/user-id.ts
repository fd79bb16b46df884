export const maxUserIdLength = 164;

/** Text that every store keeps as it is: without NUL, which PostgreSQL refuses, and without halves of a character. */
export const isStorable = (text: string): boolean => !/\0|\p{Surrogate}/u.test(text);

/** Whether a JWT's subject can be a user id: 1 to 164 characters (api § User identity). */
export const isUserId = (id: string): boolean =>
  id !== '' && Array.from(id).length <= maxUserIdLength && isStorable(id);
