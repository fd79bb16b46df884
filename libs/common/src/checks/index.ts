export * from './rules.js';
export * from './settings.js';
export { built } from './built.js';
export { type Violation, violationIn } from './violation.js';
