export * from './rules.js';
export { NestedOpen } from './nested-open.js';
export * from './settings.js';
export { pathText } from './path-text.js';
export { originalOf } from './built.js';
export { bodySchemaOf, type JsonSchema, jsonSchemaOf } from './json-schema.js';
