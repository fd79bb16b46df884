/** Where a message stands among those of its channel: of two, the later is the greater text. Otherwise opaque. */
export type Position = string;
