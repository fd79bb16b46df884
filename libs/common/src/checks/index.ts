export * from './rules.js';
export { NestedOpen } from './nested-open.js';
export type { Given } from './given.js';
export { checkAsyncOptions, settingsOf } from './settings.js';
export { pathText } from './path-text.js';
export { type Violation, violationIn } from './violation.js';
export { built, originalOf } from './built.js';
export { bodySchemaOf, type JsonSchema, jsonSchemaOf } from './json-schema.js';
