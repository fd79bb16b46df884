import { useEffect, useMemo, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { Link } from 'wouter-preact';
import type { Charts } from '../api/contract.js';
import { amount } from './amounts.js';
import { themeTurns } from '../shell/theme.js';

export interface ChartProps {
  readonly title: string;
  readonly charts: Charts | undefined;
  readonly series: string;
  /** The span shown, up to the last point; all points without it. */
  readonly minutes?: number;
  /** A custom property of the design system, such as `--bad`. */
  readonly colour?: string;
  readonly unit?: string;
  readonly range?: string;
  /** The page that shows where it comes from. */
  readonly to?: string;
}

/** A chart, with the latest value as a number. */
export function Chart({ title, charts, series, colour = '--accent', unit = '', ...props }: ChartProps) {
  const { minutes = Infinity, range = 'last hour', to } = props;
  const { stepSeconds = 10, until = 0 } = charts ?? {};
  const points = useMemo(
    () => charts?.series[series]?.slice(-minutes * (60 / stepSeconds)) ?? [],
    [charts, series, minutes],
  );
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(null);
  const measured = points.filter((point) => point !== null);
  const now = measured.at(-1) ?? 0;
  const most = measured.reduce((most, point) => Math.max(most, point), 0);
  const turn = themeTurns.value;

  const rows = (): UPlot.AlignedData => [
    points.map((_, index) => Math.round(until / 1000) - (points.length - 1 - index) * stepSeconds),
    [...points],
  ];
  useEffect(() => {
    const element = place.current!;
    plot.current = new UPlot(optionsOf(element, colour), rows(), element);
    const observer = new ResizeObserver(() => plot.current?.setSize(sizeOf(element)));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.current?.destroy();
    };
  }, [turn, colour]);
  useEffect(() => plot.current?.setData(rows()), [until, points]);

  return (
    <section class="card stack tight">
      <h2 class="minor">{to ? <Link href={to}>{title}</Link> : title}</h2>
      <p>
        <b class="now number">{amount(now)}</b>
        <span class="small soft">{unit && ` ${unit}`}</span>
      </p>
      <div
        class="chart"
        ref={place}
        role="img"
        aria-label={`${title}, ${range}: now ${amount(now)}${unit && ` ${unit}`}, at most ${amount(most)}`}
      />
    </section>
  );
}

const sizeOf = (element: HTMLElement) => ({ width: element.clientWidth, height: element.clientHeight });

function optionsOf(element: HTMLElement, colour: string): UPlot.Options {
  const style = getComputedStyle(element);
  const probe = (name: string): string => resolved(element, style.getPropertyValue(name));
  const [line, faint, edge] = [probe(colour), probe('--ink-faint'), probe('--edge')];
  const axis = { stroke: faint, font: '11px system-ui', grid: { stroke: edge, width: 1 }, ticks: { show: false } };
  return {
    ...sizeOf(element),
    padding: [8, 24, 0, 0],
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { y: { range: (_, low, high) => [Math.min(0, low), Math.max(1, high * 1.1)] } },
    axes: [
      { ...axis, grid: { show: false }, space: 70, size: 22, values: (_, ticks) => ticks.map(hourAndMinute) },
      { ...axis, size: 40, space: 28, values: (_, ticks) => ticks.map((tick) => amount(tick)) },
    ],
    series: [
      {},
      { stroke: line, width: 1.5, fill: `color-mix(in srgb, ${line} 12%, transparent)`, points: { show: false } },
    ],
  };
}

/** A canvas does not understand `light-dark()`, so the browser resolves the colour. */
function resolved(element: HTMLElement, value: string): string {
  const before = element.style.color;
  element.style.color = value;
  const colour = getComputedStyle(element).color;
  element.style.color = before;
  return colour;
}

const hourAndMinute = (seconds: number): string =>
  new Date(seconds * 1000).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', hour12: false });
