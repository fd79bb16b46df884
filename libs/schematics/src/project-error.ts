/** The project is in a state that cannot be edited, or an option is wrong. The message says what to do. */
export class ProjectError extends Error {}
