/** The result of one check: all is well, a note, or a fault to fix. */
export interface Finding {
  readonly state: 'ok' | 'note' | 'fault';
  /** The subject, such as `database`. */
  readonly about: string;
  readonly text: string;
  /** How to fix a fault. */
  readonly fix?: string;
}

/** Performs checks. A fault is returned, not thrown. */
export type Findings = AsyncIterable<Finding>;

/** Creates findings about one subject. */
export const about = (subject: string) => ({
  ok: (text: string): Finding => ({ state: 'ok', about: subject, text }),
  note: (text: string): Finding => ({ state: 'note', about: subject, text }),
  fault: (text: string, fix: string): Finding => ({ state: 'fault', about: subject, text, fix }),
});

export const aliveOn = (store: string, alive: number): string =>
  `all processes on this ${store}, of which ${alive === 1 ? '1 is' : `${alive} are`} alive`;

/** Clocks that differ by more than this are reported; signed requests are refused at ten minutes. */
const clockToleranceMs = 5000;

export function clockFinding(subject: string, whose: string, theirs: number, before: number, after: number): Finding {
  // The clock was read at some time in between.
  const skewMs = theirs < before ? before - theirs : Math.max(0, theirs - after);
  const say = about(subject);
  if (skewMs <= clockToleranceMs) return say.ok(`${whose} clock agrees with this machine's`);
  const seconds = Math.round(skewMs / 1000);
  return say.fault(
    `${whose} clock differs from this machine's by ${seconds} s`,
    'Set both by NTP, such as with chrony',
  );
}
