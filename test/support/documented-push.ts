import { publishDescription } from '../../libs/publish/src/http/description/publish-api.description.js';
import { deviceApiDescription } from '../../libs/push-device/src/http/description/device-api.description.js';
import { DocumentedAnswers } from './documented.js';

/** Those of the Beams APIs. */
export const documentedPush = new DocumentedAnswers([deviceApiDescription(), publishDescription()]);
