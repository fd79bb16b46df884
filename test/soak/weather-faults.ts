import { Latencies, type Subject, subjects } from './latencies.js';
import type { Attack } from './rude/attack.js';
import type { Phase, Round } from './weather.js';

const shares = [
  { share: 0.5, name: 'median', noiseMs: 50 },
  { share: 0.95, name: 'p95', noiseMs: 200 },
] as const;

/** How much longer real users may wait than in the quiet phases before and after. */
const maxTimes = 3;
const maxHealthMs = 1000;
/**
 * How much more the server may use, in MB: what the limits of the test let it hold (8 of unfinished input, 8 in
 * histories, 10 unread by ten clients), and as much garbage again.
 */
const maxGrowth = 64;
/** How much of a core the server may use. */
const maxCores = 0.75;

/** What real users must not notice of an attack, and how it must have ended. */
export function faultsOf({ before, storm, after }: Round, { meets }: Attack): readonly string[] {
  const quiet = together([before, after]);
  const growth = storm.maxRss - Math.max(before.maxRss, after.maxRss);
  const isComplete = [before, storm, after].every(({ latencies }) => latencies.isComplete);
  return [
    ...subjects.flatMap((subject) => delaysOf(subject, quiet, storm.latencies)),
    ...meets.filter((limit) => !storm.met[limit]).map((limit) => `has not met ${limit}`),
    ...(isComplete ? [] : ['something is missing']),
    ...(storm.slowestHealthMs < maxHealthMs ? [] : [`/health/live took ${storm.slowestHealthMs.toFixed(0)} ms`]),
    ...(growth < maxGrowth ? [] : [`memory has grown by ${growth.toFixed(0)} MB`]),
    ...(storm.cores < maxCores ? [] : [`${storm.cores.toFixed(2)} cores were busy`]),
  ];
}

/**
 * Below `noiseMs` the scheduler decides how long something takes, and not the server: quiet phases beside other work on
 * two cores had medians up to 34 ms and p95s up to 253 ms. No person notices them; a weakness costs seconds.
 */
function delaysOf(subject: Subject, quiet: Latencies, storm: Latencies): readonly string[] {
  // Only some weathers have states.
  if (quiet.count(subject) + storm.count(subject) === 0) return [];
  return shares.flatMap(({ share, name, noiseMs }) => {
    const most = Math.max(maxTimes * quiet.quantile(subject, share), noiseMs);
    const taken = storm.quantile(subject, share);
    return taken < most ? [] : [`the ${name} of ${subject} was ${taken.toFixed(0)} ms instead of ${most.toFixed(0)}`];
  });
}

/** A line for people. */
export function figuresOf({ before, storm, after }: Round): string {
  return `\n  quiet: ${figures([before, after])}\n  storm: ${figures([storm])}, met ${JSON.stringify(storm.met)}`;
}

function figures(phases: readonly Phase[]): string {
  const all = together(phases);
  const taken = subjects.map((subject) => {
    const [median, p95] = shares.map(({ share }) => all.quantile(subject, share).toFixed(0));
    return `${subject} ${median}/${p95} ms (${all.count(subject)})`;
  });
  const most = (of: (phase: Phase) => number): number => Math.max(...phases.map(of));
  const health = `health ${most(({ slowestHealthMs }) => slowestHealthMs).toFixed(0)} ms`;
  const use = `${most(({ maxRss }) => maxRss).toFixed(0)} MB, ${most(({ cores }) => cores).toFixed(2)} cores`;
  return [...taken, health, use].join(', ');
}

const together = (phases: readonly Phase[]): Latencies => Latencies.of(phases.map(({ latencies }) => latencies));
