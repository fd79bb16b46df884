/** What was found out about something: all is well, something is to be known, or something is to be done. */
export interface Finding {
  readonly state: 'ok' | 'note' | 'fault';
  /** What it is about, such as `database`. */
  readonly about: string;
  readonly text: string;
  /** What to do about a fault. */
  readonly fix?: string;
}

/** Looks at one thing. A fault is answered, not thrown. */
export type Findings = AsyncIterable<Finding>;

/** Findings about one thing. */
export const about = (subject: string) => ({
  ok: (text: string): Finding => ({ state: 'ok', about: subject, text }),
  note: (text: string): Finding => ({ state: 'note', about: subject, text }),
  fault: (text: string, fix: string): Finding => ({ state: 'fault', about: subject, text, fix }),
});

/** More than this, two clocks are told to differ; signed requests are refused at ten minutes. */
export const clockToleranceMs = 5000;

export function clockFinding(subject: string, whose: string, theirs: number, before: number, after: number): Finding {
  // It was read at some time between.
  const skewMs = theirs < before ? before - theirs : Math.max(0, theirs - after);
  const say = about(subject);
  if (skewMs <= clockToleranceMs) return say.ok(`${whose} clock agrees with this machine's`);
  const seconds = Math.round(skewMs / 1000);
  return say.fault(
    `${whose} clock differs from this machine's by ${seconds} s`,
    'Set both by NTP, such as with chrony',
  );
}
