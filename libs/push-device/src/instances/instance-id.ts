import { rule } from 'rookery/common';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text can be an instance's id: a UUID (beams-wire §1). */
export const isInstanceId = (id: unknown): id is string => typeof id === 'string' && uuid.test(id);

/** The rule of a setting that is the id of an instance. */
export const IsInstanceId = (): PropertyDecorator =>
  rule('isInstanceId', 'must be a UUID', isInstanceId, { context: { shown: 'string' } });
