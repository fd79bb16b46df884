export * from './rules.js';
export * from './settings.js';
export { originalOf } from './built.js';
