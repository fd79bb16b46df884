export { addRookery, type Report } from './add-rookery.js';
export { nestAdd } from './nest-add.js';
export { type AddOptions, databases, type DatabaseKind } from './options.js';
export { hasNest } from './project.js';
export { ProjectError } from './project-error.js';
export { ProjectFiles } from './project-files.js';
