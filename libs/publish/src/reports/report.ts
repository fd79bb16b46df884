import { Allow, IsNumber } from 'class-validator';
import { IsText, Open, wholeRule } from '#common';
import { refusedWith } from '#http';
import type { ReportEvent } from '../outbox/device-report.js';
import { missingField } from '../publish.errors.js';

const refused = (field: string) => refusedWith(() => missingField(field));

/** A device's report on a notification (beams-wire §6). */
@Open()
@wholeRule<Report>(
  'isReportEvent',
  ({ event }) => typeof event === 'string' && /^(delivery|open)$/i.test(event),
  refused('event'),
)
export class Report {
  /** `delivery` or `open`. iOS and Android write `Open`, the web `open` (beams-wire §0.10). */
  @IsText(refused('event'))
  readonly event!: string;
  @IsText(refused('publishId'))
  readonly publishId!: string;
  /** Null in a browser whose state was cleared. */
  @IsText(refused('deviceId'))
  readonly deviceId!: string;
  @IsNumber({}, refused('timestampSecs'))
  readonly timestampSecs!: number;
  /** The device's user; the web sends null if there is none. */
  @Allow()
  readonly userId?: unknown;
}

/** The event that the report is about. */
export const eventOf = ({ event }: Report): ReportEvent => (event.toLowerCase() === 'open' ? 'open' : 'delivery');
