import { nest12OnExpress } from './host-application.js';
import { describeInHost } from './in-a-host.js';

describeInHost(nest12OnExpress);
