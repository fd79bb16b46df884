/** A number as people read it. */
export function shown(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return '-';
  if (value >= 1000 || Number.isInteger(value)) return Math.round(value).toLocaleString('en-US');
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** Whether the client or the server was at its limit: a server could have done more if its client was. */
export function limitOf({ clientCpu, serverCpuSeconds, seconds }) {
  if (clientCpu === undefined || serverCpuSeconds === undefined) return '';
  const serverCpu = serverCpuSeconds / seconds;
  if (clientCpu > 0.9 && serverCpu < 0.9) return 'client';
  return serverCpu > 0.9 ? 'server' : '';
}

/** What a second of the server's CPU time brings: the figure that a busy machine disturbs least. */
export function perCpuSecond({ messagesPerSecond, answersPerSecond, sendsPerSecond, serverCpuSeconds, seconds }) {
  const perSecond = messagesPerSecond || answersPerSecond || sendsPerSecond;
  return perSecond && serverCpuSeconds ? (perSecond * seconds) / serverCpuSeconds : undefined;
}

/** The cells of a line, for the terminal and for the page. */
export function cells(line, measures) {
  const { case: name, server, serverCpuSeconds, seconds, clientCpu, longestTurnMs, ratios, closed } = line;
  const cpu = serverCpuSeconds === undefined ? '' : `${serverCpuSeconds.toFixed(2)} s`;
  const notes = [limitOf(line) && `limit: ${limitOf(line)}`, closed > 0 && `${closed} closed`].filter(Boolean);
  return [
    name,
    server,
    ...measures.map((measure) => shown(line[measure])),
    seconds === undefined ? cpu : `${cpu} of ${seconds.toFixed(1)} s`,
    shown(perCpuSecond(line)),
    clientCpu === undefined ? '' : `${Math.round(clientCpu * 100)}%`,
    longestTurnMs === undefined ? '' : `${shown(longestTurnMs)} ms`,
    Object.entries(ratios)
      .map(([other, ratio]) => `${ratio.toFixed(2)} × ${other}`)
      .join(', '),
    notes.join(', '),
  ];
}

export const heads = (measures) => [
  'case',
  'server',
  ...measures,
  'server CPU',
  'per CPU second',
  'client CPU',
  'longest turn',
  'better by',
  'notes',
];

export function printRow({ title, measures }, lines) {
  const table = [heads(measures), ...lines.map((line) => cells(line, measures))];
  const widths = table[0].map((_, i) => Math.max(...table.map((row) => row[i].length)));
  const text = table.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]))
      .join('  ')
      .trimEnd(),
  );
  process.stdout.write(`\n${title}\n${text.join('\n')}\n`);
}
