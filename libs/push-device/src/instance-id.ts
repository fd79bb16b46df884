import { rule } from '#common';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a valid instance id: a UUID (beams-wire §1). */
export const isInstanceId = (id: unknown): id is string => typeof id === 'string' && uuid.test(id);

/** The rule for a setting that holds an instance id. */
export const IsInstanceId = (): PropertyDecorator =>
  rule('isInstanceId', 'must be a UUID', isInstanceId, { context: { shown: 'string' } });
