export * from './is-storable.js';
export * from './rules.js';
export { NestedOpen } from './nested-open.js';
export * from './settings.js';
export { checkedData } from './checked-data.js';
export { originalOf } from './built.js';
export { bodySchemaOf, type JsonSchema, jsonSchemaOf } from './json-schema.js';
