/** A message's place in its channel. Later positions compare greater as text; otherwise opaque. */
export type Position = string;
