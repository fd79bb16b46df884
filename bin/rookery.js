#!/usr/bin/env node
// The command of a clone: `node bin/rookery.js serve`. The package @rookery/server has its own.
require('../apps/server/bin/rookery.js');
