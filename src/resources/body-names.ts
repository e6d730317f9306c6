/** Common names of the property with the list in a response body, such as `{ "items": [] }`. The names have no uppercase letters and no separators. */
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

/**
 * Common names of the property with the entry in a request or response body, such as `{ "data": {} }`. The names have no uppercase letters and no separators.
 */
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

/**
 * Common names of properties that describe the response and stand next to the entry: `message` in `{ message, data }`. The names have no uppercase letters and
 * no separators.
 */
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
