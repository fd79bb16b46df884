// What most commands need besides the command line itself: a part of the bundle, without the modules of the server.
export { version } from 'rookery/internal/common';
export { readConfig } from '../../server/src/config/config.js';
