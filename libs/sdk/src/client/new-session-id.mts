/**
 * An id for the session of one tab: `wsPath: '/session/' + newSessionId()`. It is a UUIDv7, which carries the time, so
 * that a server whose store is new knows that it has not lost the session.
 */
export function newSessionId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}
