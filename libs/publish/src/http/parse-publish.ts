import type { InterestsPublish, UsersPublish } from '../publish.js';
import type { Check } from '../schema/checks.js';
import { interestsPublish, usersPublish } from '../schema/publish-checks.js';
import { unprocessable } from './errors.js';

// The assertions are true once the schema has nothing to say.

/** A body as a publish to interests. Throws 422 with what is wrong with it. */
export const parseInterestsPublish = (body: unknown): InterestsPublish =>
  checked(body, interestsPublish) as InterestsPublish;

/** A body as a publish to users. Throws 422 with what is wrong with it. */
export const parseUsersPublish = (body: unknown): UsersPublish => checked(body, usersPublish) as UsersPublish;

function checked(body: unknown, schema: Check): unknown {
  const wrong = schema(body, '');
  if (wrong !== undefined) throw unprocessable(wrong);
  return body;
}
