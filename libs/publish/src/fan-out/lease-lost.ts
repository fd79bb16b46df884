/** Another worker has taken the job over; nothing more is sent or saved for it here. */
export class LeaseLost extends Error {}
