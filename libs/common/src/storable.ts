const unstorable = /\0|\p{Surrogate}/u;
const allUnstorable = /\0|\p{Surrogate}/gu;

/** Whether every store can keep the text unchanged: without NUL, which PostgreSQL refuses, and without lone surrogates. */
export const isStorable = (text: string): boolean => !unstorable.test(text);

/** The text with U+FFFD for what stores cannot keep. For texts that people read, such as an endpoint's answer. */
export const storable = (text: string): string => text.replace(allUnstorable, '\ufffd');
