const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text can be an instance's id: a UUID (beams-wire §1). */
export const isInstanceId = (id: unknown): id is string => typeof id === 'string' && uuid.test(id);
