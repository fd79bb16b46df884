// What modules describe their routes with.
export * from './answers.js';
export * from './shapes.js';
