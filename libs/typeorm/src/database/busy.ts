import { resultOf } from './sqlite-result.js';

/** Whether another connection holds the file. */
export const isBusy = (error: unknown): boolean => resultOf(error) === 'busy';
