/** Another worker has taken over the job; this one must not send or save anything more for it. */
export class LeaseLost extends Error {}
