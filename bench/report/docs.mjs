import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { documented, rows } from '../rows/index.mjs';
import { withBars } from './bars.mjs';
import { beginOf, codeHash, end, evidence, evidenceOf } from './evidence.mjs';
import { isOurs, medians } from './medians.mjs';
import { shown } from './table.mjs';

const docs = join(import.meta.dirname, '../../docs');

/** @throws Error if the figures of these rows could not be written: called before anything is measured */
export function checkPlaces(names, machine, folder = docs) {
  for (const name of names)
    if (!rows[name].hotPath) throw new Error(`The row ${name} names no hot path, so its figures would never be stale`);
  pagesWith(
    blocksOf(names, machine, (name) => ({ begin: beginOf(name, {}), text: '' })),
    folder,
  );
}

/** Puts the figures of a report's rows between their markers, on whichever page has them; the words around them stay. */
export async function writeDocs(report) {
  const names = [...new Set(report.results.map(({ row }) => row))];
  const blocks = blocksOf(names, report.machine, (name) => figuresOf(name, report));
  for (const [page, text] of pagesWith(blocks, docs))
    writeFileSync(page, await format(text, { ...(await resolveConfig(page)), parser: 'markdown' }));
  drawBars();
}

function drawBars() {
  const picture = join(docs, 'images/delivery.svg');
  writeFileSync(picture, withBars(readFileSync(picture, 'utf8'), readFileSync(join(docs, 'delivery.md'), 'utf8')));
}

/** The rows whose code has changed since the figures in the docs were measured, with the page that shows them. */
export function staleFigures(folder = docs) {
  return pagesOf(folder).flatMap((page) =>
    [...evidenceOf(readFileSync(join(folder, page), 'utf8'))]
      .filter(([row, { code }]) => code !== codeHash(rows[row].hotPath))
      .map(([row, { date, commit }]) => ({ row, page, date, commit })),
  );
}

/** What is written of the machine and of each row, by the name in its marker. */
function blocksOf(names, machine, blockOf) {
  const isAll = documented.every((name) => names.includes(name));
  return new Map([
    ['machine', { begin: '<!-- measured: machine -->', text: machineOf(machine), isAll }],
    ...names.map((name) => [name, blockOf(name)]),
  ]);
}

function figuresOf(name, report) {
  const row = rows[name];
  const of = evidence(row, report);
  const lines = medians(
    report.results.filter((result) => result.row === name),
    row,
  );
  return { begin: beginOf(name, of), text: row.columns ? table(row, lines, of) : list(row, lines, of) };
}

const pagesOf = (folder) => readdirSync(folder).filter((name) => name.endsWith('.md'));

/** The pages of the folder by their paths, with the blocks in their places. */
function pagesWith(blocks, folder) {
  const pages = pagesOf(folder);
  const placeless = new Map(blocks);
  const texts = pages.map((name) => [join(folder, name), withBlocks(join(folder, name), placeless)]);
  for (const name of placeless.keys())
    throw new Error(`No page of docs/ has a place for ${name}: <!-- measured: ${name} -->`);
  return texts;
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

function machineOf({ cpu, cores, memoryGb, node, isPinned }) {
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
