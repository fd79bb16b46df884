export * from '../../../../libs/console/src/live-filter.js';
