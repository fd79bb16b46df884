import { serverNow } from '../api/server-clock.js';

const two = (value: number): string => String(value).padStart(2, '0');

/** `14:03:07.042`, in the reader's time zone. */
export function clock(at: number): string {
  const date = new Date(at);
  const milliseconds = String(date.getMilliseconds()).padStart(3, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${milliseconds}`;
}

/** `14:03:07`, in the reader's time zone, with the date unless it is today's. */
export function timeOfDay(at: number): string {
  const isToday = new Date(at).toDateString() === new Date(serverNow()).toDateString();
  return isToday ? clock(at).slice(0, 8) : moment(at);
}

/** A duration: `4 s`, `3 min`, `2 h`, `5 d`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

export const ago = (at: number, now = serverNow()): string => `${duration(now - at)} ago`;

/** `5 min ago`, or `in 5 min`. */
export const awayFrom = (at: number, now = serverNow()): string =>
  at > now ? `in ${duration(at - now)}` : ago(at, now);

/** `30 Nov 2026, 14:03:07`: the date in the reader's language, the time as everywhere else. */
export const moment = (at: number): string =>
  `${new Date(at).toLocaleDateString(undefined, { dateStyle: 'medium' })}, ${clock(at).slice(0, 8)}`;
