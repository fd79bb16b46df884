/** Apple's tokens in hexadecimal; they have at most 100 bytes. */
export const apnsTokenPattern = /^[0-9A-Fa-f]{1,200}$/;

/** Whether Apple may have issued the token. */
export const isApnsToken = (token: unknown): boolean => typeof token === 'string' && apnsTokenPattern.test(token);
