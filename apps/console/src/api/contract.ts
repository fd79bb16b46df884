export * from '../../../../libs/console/src/contract.js';
