export const maxInterestLength = 164;

/** The pattern, worded as in a 422's message (beams-wire §3.1). */
export const interestPattern = /^[a-zA-Z0-9_\-=@,.;]+$/;

/** Whether a text is a valid interest name (api § Interest). */
export const isInterest = (name: unknown): name is string =>
  typeof name === 'string' && name.length <= maxInterestLength && interestPattern.test(name);
