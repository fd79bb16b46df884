import { end as endOfFigures } from './evidence.mjs';

/** Where docs/images/delivery.svg has its bars. */
const begin = '<!-- bars of docs/delivery.md -->';
const end = '<!-- /bars -->';

/** Where the bars stand, in pixels of the picture. */
const bar = { left: 270, width: 300, height: 26, top: 62, step: 42 };

/**
 * Draws the share of events that each server delivered, as the page's table has it.
 * @param picture the SVG, with its markers
 * @param page the Markdown of docs/delivery.md
 */
export function withBars(picture, page) {
  const drawn = deliveries(page).flatMap((delivery, at) => barOf(delivery, bar.top + at * bar.step));
  const [before, rest] = picture.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`The picture has no place for bars: ${begin} … ${end}`);
  return [`${before}${begin}`, ...drawn, `${end}${after}`].join('\n  ');
}

/** The rows of the table: the server, the share of events in percent, and how late the last hundredth of replays came. */
function deliveries(page) {
  const [, table] = new RegExp(`<!-- measured: jitter .*-->([^]*?)${endOfFigures}`).exec(page) ?? [];
  if (table === undefined) throw new Error('The page has no figures of the row jitter');
  return Array.from(table.matchAll(/^\| ([^|]*), \d+ clients([^|]*)\|(.*)\|$/gm), ([, server, more, cells]) => {
    const [delivered, , , , replay] = cells.split('|').map((cell) => cell.trim());
    return { name: server + more.trimEnd(), delivered, replay };
  });
}

function barOf({ name, delivered, replay }, top) {
  const width = Math.round((bar.width * Number(delivered)) / 100);
  const baseline = top + 18;
  const lost = bar.width - width;
  const late = replay === '-' ? 'never' : `${(Number(replay.replace(',', '')) / 1000).toFixed(1)} s`;
  return [
    `<text class="left" x="20" y="${baseline}">${name}</text>`,
    `<rect class="main" x="${bar.left}" y="${top}" width="${width}" height="${bar.height}" />`,
    ...(lost > 0
      ? [`<rect class="bad" x="${bar.left + width}" y="${top}" width="${lost}" height="${bar.height}" />`]
      : []),
    `<text class="left" x="${bar.left + bar.width + 10}" y="${baseline}">${delivered}%</text>`,
    `<text x="680" y="${baseline}">${late}</text>`,
  ];
}
