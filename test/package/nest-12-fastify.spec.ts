import { nest12OnFastify } from './host-application.js';
import { describeInHost } from './in-a-host.js';

describeInHost(nest12OnFastify);
