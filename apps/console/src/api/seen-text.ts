export * from '../../../../libs/console/src/push/seen-text.js';
