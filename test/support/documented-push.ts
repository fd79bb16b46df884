import { publishDescription } from '../../libs/publish/src/publish.module.js';
import { deviceApiDescription } from '../../libs/push-device/src/push-device.module.js';
import { DocumentedAnswers } from './documented.js';

/** Those of the Beams APIs. */
export const documentedPush = new DocumentedAnswers([deviceApiDescription(), publishDescription()]);
