import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rows } from '../rows/index.mjs';
import { medians } from './medians.mjs';
import { cells, heads, shown } from './table.mjs';

const page = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
const begin = '<!-- measured: written by npm run bench -- --docs -->';
const end = '<!-- /measured -->';
const barLength = 40;

/** Puts a report's charts and tables between the markers of docs/performance.md; the words around them stay. */
export function writeDocs(report) {
  const text = readFileSync(page, 'utf8');
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`docs/performance.md has lost its markers ${begin} and ${end}`);
  writeFileSync(page, `${before}${begin}\n\n${written(report)}\n${end}${after}`);
}

function written({ machine, command, skipped, results }) {
  const { cpu, cores, memoryGb, system, node, isPinned, commit, date } = machine;
  const sections = Object.entries(rows)
    .filter(([name]) => results.some(({ row }) => row === name))
    .map(([name, row]) =>
      section(
        row,
        medians(
          results.filter((result) => result.row === name),
          row,
        ),
      ),
    );
  return [
    `Measured ${date} at ${commit} with \`npm run bench -- ${command}\`: ${cpu}, ${cores} cores, ${memoryGb} GB, ` +
      `${system}, Node ${node}${isPinned ? ', the server pinned to one core and the load client to the others' : ''}.`,
    ...skipped.map((why) => `Left out: ${why}.`),
    ...sections,
  ].join('\n\n');
}

const section = (row, lines) => `### ${row.title}\n\n${chart(row, lines)}\n\n${table(row, lines)}\n`;

function chart({ measures: [measure] }, lines) {
  const most = Math.max(...lines.map((line) => line[measure] ?? 0));
  const width = Math.max(...lines.map((line) => label(line).length));
  const bars = lines.map((line) => {
    const length = Math.round(((line[measure] ?? 0) / most) * barLength);
    return `${label(line).padEnd(width)}  ${'█'.repeat(Math.max(length, 1))} ${shown(line[measure])}`;
  });
  return `\`\`\`text\n${bars.join('\n')}\n\`\`\``;
}

const label = ({ case: name, server }) => `${name}: ${server}`;

function table({ measures }, lines) {
  const head = heads(measures);
  const body = lines.map((line) => cells(line, measures));
  return [head, head.map(() => '---'), ...body].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
