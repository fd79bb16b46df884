// The helpers with which modules describe their routes.
export * from './answers.js';
export * from './shapes.js';
