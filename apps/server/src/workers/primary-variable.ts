/**
 * Set in workers to the id of the process that started them; other programs, too, start processes as cluster workers.
 */
export const primaryVariable = 'ROOKERY_PRIMARY';
