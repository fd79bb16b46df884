import { perCpuSecond } from './table.mjs';

/**
 * One line for each case and server: the median run of the row's first measure, with the median of each other measure,
 * and its ratio to the references.
 * @returns lines in the order in which they were measured
 */
export function medians(results, { measures, lessIsBetter = false }) {
  const groups = Map.groupBy?.(results, keyOf) ?? grouped(results);
  const lines = [...groups.values()].map((runs) => ({
    ...middle(runs, measures[0]),
    ...Object.fromEntries(measures.slice(1).map((measure) => [measure, middle(runs, measure)[measure]])),
    runs: runs.length,
    spread: spread(runs, measures[0]),
  }));
  for (const line of lines) line.ratios = ratios(line, lines, measures[0], lessIsBetter);
  return lines;
}

/** The server, and applications with the modules. */
export const isOurs = ({ server }) => ['rookery', 'application', 'application on Express'].includes(server);

const keyOf = ({ case: name, server }) => `${name}/${server}`;

function grouped(results) {
  const groups = new Map();
  for (const result of results) groups.set(keyOf(result), [...(groups.get(keyOf(result)) ?? []), result]);
  return groups;
}

function middle(runs, measure) {
  const known = runs.filter((run) => Number.isFinite(run[measure]));
  const sorted = (known.length > 0 ? known : runs).toSorted((a, b) => a[measure] - b[measure]);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

/** The distance between the best run and the worst, as a part of the median: the machine's noise. */
function spread(runs, measure) {
  if (runs.length === 1) return undefined;
  const values = runs.map((run) => run[measure]);
  return (Math.max(...values) - Math.min(...values)) / middle(runs, measure)[measure];
}

// How many times better than each reference, whichever way better is. Where work was counted, it is compared by what a
// second of CPU time brought: on a machine that does other things besides, servers do not get the same share of it.
function ratios(line, lines, measure, lessIsBetter) {
  if (!isOurs(line)) return {};
  const value = (each) => (lessIsBetter ? each[measure] : (perCpuSecond(each) ?? each[measure]));
  const others = lines.filter((other) => other.case === line.case && !isOurs(other));
  return Object.fromEntries(
    others.map((other) => [other.server, lessIsBetter ? value(other) / value(line) : value(line) / value(other)]),
  );
}
