import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ConsoleStore, ThisNode } from 'rookery/internal/common';
import type { Line } from './charts.js';
import { type Sample, Samples, seriesNames, stepSeconds } from '../watch/samples.js';

const stepsInMinute = 60 / stepSeconds;
const minuteAt = (now: number): number => Math.floor(now / 60_000);

/** Stores each minute of this process, so that charts outlive it. */
@Injectable()
export class Minutes implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Console');
  private timer: NodeJS.Timeout | undefined;
  private kept = minuteAt(Date.now()) - 1;

  constructor(
    @Inject(Samples) private readonly samples: Pick<Samples, 'of'>,
    private readonly store: ConsoleStore,
    @Inject(ThisNode) private readonly node: Pick<ThisNode, 'id'>,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.keep(Date.now()), 60_000).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Stores the minutes that are over at that time. */
  async keep(now: number): Promise<void> {
    const ofSteps = new Map(this.samples.of());
    while (this.kept < minuteAt(now) - 1) {
      const minute = ++this.kept;
      const all = Array.from({ length: stepsInMinute }, (_, n) => ofSteps.get(minute * stepsInMinute + n));
      const measured = all.filter((each) => each !== undefined);
      if (measured.length === 0) continue;
      try {
        await this.store.keepMinute({ minute, node: this.node.id, figures: JSON.stringify(meanOf(measured)) });
      } catch (error) {
        // Only the chart has a gap; what else the store is needed for reports itself.
        this.logger.debug(`The charts lack a minute: ${(error as Error).message}`);
      }
    }
  }

  /** What processes besides those measured, by step. */
  async stepsWithout(nodes: ReadonlySet<string>, now: number): Promise<Line> {
    const found = await this.since(minuteAt(now) - 60);
    return found
      .filter(({ node }) => !nodes.has(node))
      .flatMap(({ minute, sample }) =>
        Array.from({ length: stepsInMinute }, (_, n) => [minute * stepsInMinute + n, sample] as const),
      );
  }

  /** What all processes measured, by minute. */
  async lastMinutes(minutes: number, now: number): Promise<Line> {
    return (await this.since(minuteAt(now) - minutes)).map(({ minute, sample }) => [minute, sample]);
  }

  private async since(minute: number) {
    const found = await this.store.minutesSince(minute);
    return found.map(({ figures, ...when }) => ({
      ...when,
      sample: JSON.parse(figures) as Readonly<Record<string, number>>,
    }));
  }
}

function meanOf(samples: readonly Sample[]): Readonly<Record<string, number>> {
  const sumOf = (name: (typeof seriesNames)[number]): number => samples.reduce((sum, each) => sum + each[name], 0);
  return Object.fromEntries(seriesNames.map((name) => [name, sumOf(name) / samples.length]));
}
