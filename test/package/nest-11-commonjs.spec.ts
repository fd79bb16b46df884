import { nest11OnExpress } from './host-application.js';
import { describeInHost } from './in-a-host.js';

describeInHost(nest11OnExpress);
