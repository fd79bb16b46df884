import { Injectable } from '@nestjs/common';
import { type ChartMinute, ChartMinutes, keptChartMinutes } from './chart-minutes.js';

/** In memory: for one process; a restart forgets them. */
@Injectable()
export class MemoryChartMinutes extends ChartMinutes {
  private all: readonly ChartMinute[] = [];

  keep(measured: ChartMinute): void {
    const { minute, node } = measured;
    this.all = [
      ...this.all.filter(
        (each) => each.minute > minute - keptChartMinutes && !(each.minute === minute && each.node === node),
      ),
      measured,
    ].toSorted((left, right) => left.minute - right.minute);
  }

  since(minute: number): readonly ChartMinute[] {
    return this.all.filter((each) => each.minute >= minute);
  }
}
