const beginning = '{"event":"client-';

/** Whether an event, as clients receive it, was sent by a client: it must not pass for a server's. */
export const isClientEventText = (text: string): boolean => text.startsWith(beginning);
