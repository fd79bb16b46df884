import { StreamableFile } from '@nestjs/common';
import type { Member } from 'rookery/presence';

/** Users with their info as it came in: parsed and written again, long numbers would lose digits. */
export function userList(members: readonly Member[]): StreamableFile {
  const users = members.map(({ userId, userInfoJson }) => {
    const info = userInfoJson === undefined ? '' : `,"user_info":${userInfoJson}`;
    return `{"id":${JSON.stringify(userId)}${info}}`;
  });
  return new StreamableFile(Buffer.from(`{"users":[${users.join(',')}]}`), { type: 'application/json; charset=utf-8' });
}
