// The answers of the endpoints below `/console/api`. The pages import them too, so they import nothing but files that
// import nothing. Times are epoch milliseconds.
export * from './activity.js';
export * from './channels.js';
export * from './overview.js';
export * from './page.js';
export * from './push.js';
export * from './settings.js';
export * from './webhooks.js';
