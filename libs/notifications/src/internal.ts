// Internal: what other packages and libs of this repository need besides the index. It promises nothing to applications.
export * from './index.js';
export { checkedData, type CheckedNotification, checkedNotification, checkedPush } from './notification-body.js';
export { unreadEvent } from './unread-notifier.js';
