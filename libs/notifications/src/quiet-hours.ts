import { rule } from '#common';

const isTimeOfDay = (time: unknown): boolean => typeof time === 'string' && /^([01]\d|2[0-3]):[0-5]\d$/.test(time);

const IsTimeOfDay = (): PropertyDecorator =>
  rule('isTimeOfDay', "must be a time of day such as '22:00'", isTimeOfDay, { context: { shown: 'string' } });

function isTimeZone(name: unknown): boolean {
  if (typeof name !== 'string') return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const IsTimeZone = (): PropertyDecorator =>
  rule('isTimeZone', "must be a time zone such as 'Europe/Berlin'", isTimeZone, { context: { shown: 'string' } });

/**
 * Hours in which devices stay silent; a push due in them is sent at their end, unless the notification was read by
 * then.
 */
export class QuietHours {
  /** When they begin: `HH:MM`. */
  @IsTimeOfDay()
  readonly from!: string;
  /** When they end: `HH:MM`; if earlier than `from`, on the next day. */
  @IsTimeOfDay()
  readonly to!: string;
  /** The time zone of `from` and `to`, such as `Europe/Berlin`. @default 'UTC' */
  @IsTimeZone()
  readonly timeZone: string = 'UTC';
}

const minuteMs = 60_000;
const dayMinutes = 1440;

/**
 * The end of the quiet hours that contain a time.
 * @returns epoch milliseconds, or `undefined` if the time is in none
 */
export function endOfQuiet(time: number, { from, to, timeZone }: QuietHours): number | undefined {
  const [begin, end] = [minutesOf(from), minutesOf(to)];
  const since = (minutesAt(time, timeZone) - begin + dayMinutes) % dayMinutes;
  const length = (end - begin + dayMinutes) % dayMinutes;
  if (since >= length) return undefined;
  const estimate = Math.floor(time / minuteMs) * minuteMs + (length - since) * minuteMs;
  return atMinute(estimate, end, timeZone);
}

/** Daylight saving time may change before the end, and the end may not exist in that night. */
function atMinute(estimate: number, minute: number, timeZone: string): number {
  const off = (minute - minutesAt(estimate, timeZone) + dayMinutes + dayMinutes / 2) % dayMinutes;
  const exact = estimate + (off - dayMinutes / 2) * minuteMs;
  return minutesAt(exact, timeZone) === minute ? exact : estimate;
}

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

const formats = new Map<string, Intl.DateTimeFormat>();

/** The minute of the day in a time zone. */
function minutesAt(time: number, timeZone: string): number {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
    formats.set(timeZone, format);
  }
  return minutesOf(format.format(time));
}
