import { Unavailable } from '#common';
import { ApiError, describing, jsonRefusal, type Refusal } from '#http';

// Shared by the operations of both push columns.

export const instanceId = describing.inPath(
  'instanceId',
  'The id of the instance',
  { type: 'string', format: 'uuid' },
  '8a0c7a8e-5b2f-4f0e-9f39-0d6e1a2b3c4d',
);

export const otherContentType = jsonRefusal(
  new ApiError('invalid_content_type', 400, 'Invalid content type', 'Only `application/json` is supported.'),
);

export const noJsonObject = jsonRefusal(
  new ApiError('invalid_body', 400, 'Bad request', 'Failed to read body as a JSON object.'),
);

/** The log describes the fault; the answer does not. */
export const fault: Refusal = {
  status: 500,
  contentType: 'application/json',
  body: '{"error":"Something went wrong","description":"Internal server error"}',
};

/** While the database cannot be reached. */
export const unavailable: Refusal = jsonRefusal(new Unavailable('The database'));
