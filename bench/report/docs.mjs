import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { documented, rows } from '../rows/index.mjs';
import { beginOf, end, evidence } from './evidence.mjs';
import { isOurs, medians } from './medians.mjs';
import { shown } from './table.mjs';

const docs = join(import.meta.dirname, '../../docs');

/** Puts the figures of a report's rows between their markers, on whichever page has them; the words around them stay. */
export async function writeDocs(report) {
  const names = new Set(report.results.map(({ row }) => row));
  const isAll = documented.every((name) => names.has(name));
  const blocks = new Map([['machine', { begin: '<!-- measured: machine -->', text: machineOf(report), isAll }]]);
  for (const name of names) {
    const row = rows[name];
    if (!row.hotPath) throw new Error(`The row ${name} names no hot path, so its figures could not be refused later`);
    const of = evidence(row, report);
    const lines = medians(
      report.results.filter((result) => result.row === name),
      row,
    );
    const text = row.columns ? table(row, lines, of) : list(row, lines, of);
    blocks.set(name, { begin: beginOf(name, of), text });
  }
  const pages = readdirSync(docs).filter((name) => name.endsWith('.md'));
  const texts = pages.map((name) => [join(docs, name), withBlocks(join(docs, name), blocks)]);
  for (const name of blocks.keys())
    throw new Error(`No page of docs/ has a place for ${name}: <!-- measured: ${name} -->`);
  for (const [page, text] of texts)
    writeFileSync(page, await format(text, { ...(await resolveConfig(page)), parser: 'markdown' }));
}

/** Takes the blocks that the page has a place for. */
function withBlocks(page, blocks) {
  const marked = new RegExp(`<!-- measured: (\\S+).*?-->[^]*?${end}`, 'g');
  return readFileSync(page, 'utf8').replace(marked, (old, name) => {
    const block = blocks.get(name);
    blocks.delete(name);
    if (!block) return old;
    if (block.isAll === false && old.includes('Measured') && !old.includes(block.text))
      throw new Error(`${page} is of another machine: measure all`);
    return `${block.begin}\n\n${block.text}\n\n${end}`;
  });
}

function machineOf({ machine: { cpu, cores, memoryGb, node, isPinned } }) {
  const pinned = isPinned ? ', the server pinned to one core and the load client to the others' : '';
  return `Measured on ${cpu}, ${cores} cores, ${memoryGb} GB, Node ${node}${pinned}.`;
}

const measuredAt = ({ date, commit }) => `${date} at ${commit}`;

function list({ title, measures }, lines, of) {
  return [`- ${title} (${measuredAt(of)})`, ...lines.filter(isOurs).map((line) => item(measures, line))].join('\n');
}

function item(measures, line) {
  const noise = line.spread === undefined ? '' : ` ±${(line.spread * 50).toFixed(0)}%`;
  const [first, ...others] = measures.filter((measure) => line[measure] !== undefined && line[measure] !== null);
  const more = others.map((measure) => `${measure} ${shown(line[measure])}`);
  const ratios = Object.entries(line.ratios).map(([other, ratio]) => `${other} ×${ratio.toFixed(2)}`);
  const measured = line.server === 'rookery' ? line.case : `${line.case}, in an ${line.server} with the modules`;
  const rest = [...more, ...ratios].map((each, at) => `${at === 0 ? ';' : ','} ${each}`).join('');
  return `  - ${measured}: **${shown(line[first])}**${noise} (${line.runs})${rest}`;
}

/** All servers side by side, with the row's own words at the head. */
function table({ columns }, lines, of) {
  const head = ['', ...Object.values(columns)];
  const cells = lines.map((line) => [
    `${line.server}, ${line.case}`,
    ...Object.keys(columns).map((measure) => shown(line[measure])),
  ]);
  const rule = head.map((_, at) => (at === 0 ? '---' : '---:'));
  const text = [head, rule, ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n');
  return `${text}\n\nMeasured ${measuredAt(of)}.`;
}
