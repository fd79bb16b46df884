export type { Case, Profile } from './case.js';
export { cases } from './cases/index.js';
export { asJunit, asTable } from './report.js';
export { judged, type Result } from './run.js';
export type { Target } from './subject.js';
export { WebhookListener } from './webhooks.js';
