export * from '../../../../libs/console/src/contract/index.js';
