import { vi } from 'vitest';

/** Sets the clock of this process back by an hour, as an operator or NTP may; what counts durations goes on. */
export function setClockBack(): void {
  const now = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
}
