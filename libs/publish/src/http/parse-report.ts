import type { ReportEvent } from '../reports/report.repository.js';
import { missingField } from './errors.js';

/** What a device tells of a notification (beams-wire §6). */
export interface Report {
  readonly event: ReportEvent;
  readonly publishId: string;
  readonly deviceId: string;
  readonly userId?: string;
}

/** A body as a report. Throws 400 for a field that is missing or of no use. */
export function parseReport(body: object): Report {
  const { event, publishId, deviceId, timestampSecs, userId } = body as Readonly<Record<string, unknown>>;
  if (!isText(event)) throw missingField('event');
  if (!isText(publishId)) throw missingField('publishId');
  if (!isText(deviceId)) throw missingField('deviceId');
  if (!Number.isFinite(timestampSecs)) throw missingField('timestampSecs');
  const report = { event: eventOf(event), publishId, deviceId };
  return isText(userId) ? { ...report, userId } : report;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** iOS and Android write `Open`, the web `open` (beams-wire §0.10). */
function eventOf(text: string): ReportEvent {
  const event = text.toLowerCase();
  if (event === 'delivery' || event === 'open') return event;
  throw missingField('event');
}
