import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { rows } from '../rows/index.mjs';
import { isOurs, medians } from './medians.mjs';
import { shown } from './table.mjs';

const page = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
const begin = '<!-- measured: written by npm run bench -- --docs -->';
const end = '<!-- /measured -->';

/** Puts a report between the markers of docs/performance.md; the words around them stay. */
export async function writeDocs(report) {
  const text = readFileSync(page, 'utf8');
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`docs/performance.md has lost its markers ${begin} and ${end}`);
  const written = `${before}${begin}\n\n${intro(report)}\n\n${list(report)}\n\n${end}${after}`;
  writeFileSync(page, await format(written, { ...(await resolveConfig(page)), parser: 'markdown' }));
}

function intro({ machine, command, skipped }) {
  // A folder means something only on the machine that was measured.
  const typed = command.replace(/(--(floor|json) )\S*\//g, '$1');
  const { cpu, cores, memoryGb, system, node, isPinned, commit, date } = machine;
  return [
    `Measured ${date} at ${commit} with \`npm run bench -- ${typed}\`: ${cpu}, ${cores} cores, ${memoryGb} GB, ` +
      `${system}, Node ${node}${isPinned ? ', the server pinned to one core and the load client to the others' : ''}; ` +
      `load average ${loadavg()[2].toFixed(1)} over the last 15 minutes. Each line is a median, with the number of runs in ` +
      'brackets and half of the distance between the best and the worst as ±, and how many times better than others.',
    ...skipped.map((why) => `Left out: ${why}.`),
  ].join('\n\n');
}

function list({ results }) {
  const lines = Object.entries(rows).flatMap(([name, row]) => {
    const measured = medians(
      results.filter((result) => result.row === name),
      row,
    );
    const own = measured.filter(isOurs).map((line) => item(row, line));
    return own.length > 0 ? [`- ${row.title}`, ...own] : [];
  });
  return lines.join('\n');
}

function item({ measures }, line) {
  const noise = line.spread === undefined ? '' : ` ±${(line.spread * 50).toFixed(0)}%`;
  const [first, ...others] = measures.filter((measure) => line[measure] !== undefined && line[measure] !== null);
  const more = others.map((measure) => `${measure} ${shown(line[measure])}`);
  const ratios = Object.entries(line.ratios).map(([other, ratio]) => `${other} ×${ratio.toFixed(2)}`);
  const measured = line.server === 'rookery' ? line.case : `${line.case}, in an ${line.server} with the modules`;
  const rest = [...more, ...ratios].map((each, at) => `${at === 0 ? ';' : ','} ${each}`).join('');
  return `  - ${measured}: **${shown(line[first])}**${noise} (${line.runs})${rest}`;
}
