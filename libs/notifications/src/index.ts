// Using
export { RookeryError, Unavailable } from '#common';
export { isRookeryPath, isRookeryRoute, withRookeryRoutes } from '#http';
export { NotificationsModule, type NotificationsPorts } from './notifications.module.js';
export * from './notifications.options.js';
export * from './notifications.service.js';
export { NotificationBody, NotificationEventBody, NotificationRequest } from './notification-body.js';
export * from './notification-feed.js';
export type { NotificationStatus } from './notification-status.js';
export { NotificationsMetrics } from './metrics.js';
export { QuietHours } from './quiet-hours.js';
// Extending
export * from './store/notification.js';
export * from './store/notification.repository.js';
// Testing
export * from './store/memory-notification.repository.js';
