import { ADD, ITEM, type LabelledPair, LIST, LISTED, labelled, NEW, PAY, RECEIPT, text } from './breaking-base.ts';

const breaking = labelled(true);

const pay = { operationId: 'payBill', responses: { '200': { description: 'Paid' } } };

const pair = { type: 'object', properties: { a: text, b: text } };

/** A path item of a webhook or a callback. */
const notify = {
  post: {
    requestBody: {
      content: {
        'application/json': {
          schema: { type: 'object', required: ['id'], properties: { id: text, kind: { type: 'string', enum: ['a'] } } },
        },
      },
    },
    responses: {
      '200': {
        description: 'Received',
        content: { 'application/json': { schema: { type: 'object', properties: { ok: { type: 'boolean' } } } } },
      },
    },
  },
};

/** The pointer of the schema of a payment. */
const PAYMENT = '/components/schemas/Payment';

/** The pointer of the schema of a webhook's request. */
const NOTE = '/webhooks/paid/post/requestBody/content/application~1json/schema';

/** Changes that break clients of the older version. */
export const breakingPairs: readonly LabelledPair[] = [
  breaking('an operation is gone', 'both', { '/paths/~1items~1{id}/delete': undefined }),
  breaking('a path is gone', 'both', { '/paths/~1payments': undefined }),
  breaking('a server is another one', 'both', { '/servers/0/url': '/v2' }),
  breaking('an optional parameter is gone', 'request', { [`${LIST}/parameters/0`]: undefined }),
  breaking('a required parameter is new', 'request', {
    [`${LIST}/parameters/4`]: { name: 'shop', in: 'query', required: true, schema: text },
  }),
  breaking('a required parameter is new for a whole path', 'request', {
    '/paths/~1items~1{id}/parameters/1': { name: 'shop', in: 'header', required: true, schema: text },
  }),
  breaking('a parameter became required', 'request', { [`${LIST}/parameters/0/required`]: true }),
  breaking('a parameter moved to the headers', 'request', { [`${LIST}/parameters/0/in`]: 'header' }),
  breaking('a parameter takes a shorter text', 'request', { [`${LIST}/parameters/0/schema/maxLength`]: 40 }),
  breaking('a parameter takes a value less', 'request', { [`${LIST}/parameters/1/schema/enum/1`]: undefined }),
  breaking('a parameter has another default', 'request', { [`${LIST}/parameters/2/schema/default`]: 10 }),
  breaking('a path parameter has to be a uuid', 'request', {
    '/paths/~1items~1{id}/parameters/0/schema/format': 'uuid',
  }),
  breaking(
    'a list in the query is written otherwise',
    'request',
    { [`${LIST}/parameters/0/explode`]: false },
    {
      [`${LIST}/parameters/0/schema`]: { type: 'array', items: text },
    },
  ),
  breaking('a body became required', 'request', { [`${PAY}/requestBody/required`]: true }),
  breaking('a body is gone', 'request', { [`${PAY}/requestBody`]: undefined }),
  breaking('a media type of the body is gone', 'request', {
    [`${ADD}/requestBody/content/application~1x-www-form-urlencoded`]: undefined,
  }),
  breaking('a request property became required', 'request', { [`${NEW}/required/2`]: 'size' }),
  breaking('a required request property is new', 'request', {
    [`${NEW}/properties/colour`]: text,
    [`${NEW}/required/2`]: 'colour',
  }),
  breaking('a request property is gone', 'request', { [`${NEW}/properties/note`]: undefined }),
  breaking('a request property is only read now', 'request', { [`${NEW}/properties/note/readOnly`]: true }),
  breaking('a request property takes less', 'request', { [`${NEW}/properties/quantity/maximum`]: 10 }),
  breaking('a request property excludes its limit', 'request', {
    [`${NEW}/properties/quantity/exclusiveMaximum`]: true,
  }),
  breaking('a request property takes whole numbers alone', 'request', { [`${NEW}/properties/weight/type`]: 'integer' }),
  breaking('a request property takes coarser steps', 'request', { [`${NEW}/properties/weight/multipleOf`]: 1 }),
  breaking('a request property may not be null', 'request', { [`${NEW}/properties/note/nullable`]: false }),
  breaking('a request property takes a value less', 'request', { [`${NEW}/properties/size/enum/0`]: undefined }),
  breaking('a request property gets a pattern', 'request', { [`${NEW}/properties/name/pattern`]: '^[A-Z]' }),
  breaking('a request list takes fewer entries', 'request', { [`${NEW}/properties/tags/maxItems`]: 4 }),
  breaking('a request list takes no entry twice', 'request', { [`${NEW}/properties/tags/uniqueItems`]: true }),
  breaking('a request takes no other properties', 'request', { [`${NEW}/additionalProperties`]: false }),
  breaking(
    'a request is narrowed by an allOf',
    'request',
    {
      [NEW]: { allOf: [{ $ref: '#/components/schemas/Card' }, { type: 'object', properties: { card: text } }] },
      '/components/schemas/Card/properties/card/minLength': 4,
    },
    { [NEW]: { allOf: [{ $ref: '#/components/schemas/Card' }, { type: 'object' }] } },
  ),
  breaking('a request alternative is gone', 'request', { '/components/schemas/Payment/oneOf/1': undefined }),
  breaking('a request alternative became narrower', 'request', {
    '/components/schemas/Voucher/properties/voucher/maxLength': 8,
  }),
  breaking('an operation asks for a key', 'request', { [`${ADD}/security`]: [{ key: [] }] }),
  breaking(
    'an operation asks for another key',
    'request',
    { '/components/securitySchemes/key/name': 'X-Token' },
    {
      '/security': [{ key: [] }],
    },
  ),
  breaking('a success is gone', 'response', {
    [`${ADD}/responses/202`]: { description: 'Later' },
    [`${ADD}/responses/201`]: undefined,
  }),
  breaking('a media type of an answer is gone', 'response', { [`${LISTED}/content/text~1csv`]: undefined }),
  breaking('an answer has no body any more', 'response', { [`${PAY}/responses/200/content`]: undefined }),
  breaking('a header is gone', 'response', { [`${LISTED}/headers/X-Total`]: undefined }),
  breaking('a header may be missing', 'response', { [`${LISTED}/headers/X-Total/required`]: false }),
  breaking('a response property is gone', 'response', { [`${ITEM}/properties/weight`]: undefined }),
  breaking('a required response property is gone', 'response', {
    [`${ITEM}/properties/priceCents`]: undefined,
    [`${ITEM}/required/2`]: undefined,
  }),
  breaking('a response property became optional', 'response', { [`${ITEM}/required/1`]: undefined }),
  breaking('a response property is only written now', 'response', { [`${ITEM}/properties/weight/writeOnly`]: true }),
  breaking('a response property may be a value more', 'response', { [`${ITEM}/properties/size/enum/2`]: 'huge' }),
  breaking('a response property is no list of values any more', 'response', {
    [`${ITEM}/properties/size/enum`]: undefined,
  }),
  breaking('a response property may be null', 'response', { [`${ITEM}/properties/name/nullable`]: true }),
  breaking('a response property that is referred to may be null', 'response', {
    [`${ITEM}/properties/parent`]: { allOf: [{ $ref: '#/components/schemas/Item' }], nullable: true },
  }),
  breaking('a response property may be a fraction', 'response', { [`${ITEM}/properties/priceCents/type`]: 'number' }),
  breaking('a response property is of another type', 'response', { [`${ITEM}/properties/priceCents`]: text }),
  breaking('a response property may be negative', 'response', { [`${ITEM}/properties/priceCents/minimum`]: undefined }),
  breaking('a response property may be longer', 'response', { [`${ITEM}/properties/name/maxLength`]: 200 }),
  breaking('a response property is no uuid any more', 'response', { [`${ITEM}/properties/id/format`]: undefined }),
  breaking('a response list may be empty', 'response', { [`${ITEM}/properties/tags/minItems`]: undefined }),
  breaking('entries of a response list look otherwise', 'response', {
    [`${ITEM}/properties/tags/items/pattern`]: '^[A-Z]+$',
  }),
  breaking('a response alternative is new', 'response', { [`${RECEIPT}/anyOf/2`]: { type: 'integer' } }),
  breaking('a response property may be a text or a number', 'response', {
    [`${ITEM}/properties/name`]: { anyOf: [text, { type: 'integer' }] },
  }),
  breaking(
    'a map in an answer has other values',
    'response',
    {
      [`${ITEM}/properties/prices/additionalProperties`]: text,
    },
    { [`${ITEM}/properties/prices`]: { type: 'object', additionalProperties: { type: 'integer' } } },
  ),
  breaking(
    'a path is renamed',
    'both',
    { '/paths/~1bills': { put: pay }, '/paths/~1payments': undefined },
    { '/paths/~1payments': { put: pay } },
  ),
  breaking(
    'a webhook is gone',
    'both',
    { '/webhooks/paid': undefined },
    { '/webhooks': { paid: notify, refunded: notify } },
  ),
  breaking(
    'a webhook sends a property less',
    'request',
    { [`${NOTE}/properties/id`]: undefined },
    { '/webhooks': { paid: notify } },
  ),
  breaking(
    'a webhook may leave a property out',
    'request',
    { [`${NOTE}/required`]: undefined },
    { '/webhooks': { paid: notify } },
  ),
  breaking(
    'a webhook wants another response',
    'response',
    { '/webhooks/paid/post/responses/200/content/application~1json/schema/required': ['ok'] },
    { '/webhooks': { paid: notify } },
  ),
  breaking(
    'a callback sends a value more',
    'request',
    { [`${PAY}/callbacks/paid/~1done/post/requestBody/content/application~1json/schema/properties/kind/enum/1`]: 'b' },
    { [`${PAY}/callbacks`]: { paid: { '/done': notify } } },
  ),
  breaking(
    'a list in a header is written otherwise',
    'response',
    { [`${LISTED}/headers/X-Keys/explode`]: true },
    { [`${LISTED}/headers/X-Keys`]: { schema: { type: 'object' } } },
  ),
  breaking(
    'tokens are refreshed elsewhere',
    'request',
    { '/components/securitySchemes/token/flows/clientCredentials/refreshUrl': '/fresh' },
    {
      '/components/securitySchemes/token': {
        type: 'oauth2',
        flows: { clientCredentials: { tokenUrl: '/t', scopes: {} } },
      },
      [`${ADD}/security`]: [{ token: [] }],
    },
  ),
  breaking(
    'clients can no longer get tokens from a flow',
    'request',
    { '/components/securitySchemes/token/flows': { password: { tokenUrl: '/t', scopes: {} } } },
    {
      '/components/securitySchemes/token': {
        type: 'oauth2',
        flows: {
          clientCredentials: { tokenUrl: '/t', scopes: {} },
          password: { tokenUrl: '/t', scopes: {} },
        },
      },
      [`${ADD}/security`]: [{ token: [] }],
    },
  ),
  breaking(
    'a request matches two schemas of which it may match one',
    'request',
    { [`${ADD}/requestBody/content/application~1json/schema`]: { oneOf: [{ ...pair, required: ['a'] }, pair] } },
    { [`${ADD}/requestBody/content/application~1json/schema`]: { ...pair, required: ['a', 'b'] } },
  ),
  breaking('a request gets a rule of JSON Schema', 'request', { [`${NEW}/dependentRequired`]: { gift: ['note'] } }),
  breaking(
    'a response loses a rule of JSON Schema',
    'response',
    { [`${ITEM}/dependentRequired`]: undefined },
    { [`${ITEM}/dependentRequired`]: { weight: ['size'] } },
  ),
  breaking(
    'a request has a discriminator value less',
    'request',
    { [`${PAYMENT}/discriminator/mapping/b`]: undefined },
    { [`${PAYMENT}/discriminator`]: { propertyName: 'card', mapping: { a: 'Card', b: 'Voucher' } } },
  ),
  breaking(
    'a response has a discriminator value more',
    'response',
    { [`${RECEIPT}/discriminator/mapping/b`]: 'Card' },
    { [`${RECEIPT}/discriminator`]: { propertyName: 'card', mapping: { a: 'Card' } } },
  ),
];
