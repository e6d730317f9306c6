/** The names (see `normalizeName`) of properties that contain the list in a response body. */
export const LIST_NAMES = [
  'data',
  'items',
  'results',
  'result',
  'content',
  'value',
  'values',
  'entries',
  'records',
  'rows',
  'list',
  'elements',
  'hits',
  'objects',
  'resources',
  'collection',
  'embedded',
];

/** The names (see `normalizeName`) of properties that contain the entry in a request or response body. */
export const ENTRY_NAMES = [
  'data',
  'result',
  'item',
  'payload',
  'response',
  'body',
  'entity',
  'resource',
  'object',
  'record',
];

/** The names (see `normalizeName`) of properties that are beside the entry in a response body, and describe the response. */
export const ENVELOPE_NAMES = [
  'success',
  'status',
  'statuscode',
  'message',
  'messages',
  'code',
  'error',
  'errors',
  'ok',
  'object',
  'type',
  'timestamp',
  'requestid',
  'included',
  'warnings',
];
