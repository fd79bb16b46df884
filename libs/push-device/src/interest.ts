export const maxInterestLength = 164;

/** As it stands in the messages of a 422 (beams-wire §3.1). */
export const interestPattern = /^[a-zA-Z0-9_\-=@,.;]+$/;

/** Whether a text can name an interest (api § Interest). */
export const isInterest = (name: unknown): name is string =>
  typeof name === 'string' && name.length <= maxInterestLength && interestPattern.test(name);
