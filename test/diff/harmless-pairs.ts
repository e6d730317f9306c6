import {
  ADD,
  ITEM,
  ITEMS,
  type LabelledPair,
  LIST,
  LISTED,
  labelled,
  NEW,
  RECEIPT,
  search,
  text,
} from './breaking-base.ts';

const harmless = labelled(false);

/** Changes that break no client of the older version. */
export const harmlessPairs: readonly LabelledPair[] = [
  harmless('an operation is new', 'both', {
    [`${ITEMS}/delete`]: { responses: { 204: { description: 'All are gone' } } },
  }),
  harmless('an operation is deprecated', 'both', { [`${LIST}/deprecated`]: true }),
  harmless('an operation has another id', 'both', { [`${LIST}/operationId`]: 'findItems' }),
  harmless('a server more is named', 'both', { '/servers/1': { url: 'https://shop.example' } }),
  harmless(
    'clients can get tokens from a flow more',
    'request',
    { '/components/securitySchemes/token/flows/deviceAuthorization': { tokenUrl: '/t', scopes: {} } },
    {
      '/components/securitySchemes/token': {
        type: 'oauth2',
        flows: { clientCredentials: { tokenUrl: '/t', scopes: {} } },
      },
      [`${ADD}/security`]: [{ token: [] }],
    },
  ),
  harmless('an optional parameter is new', 'request', { [`${LIST}/parameters/4`]: { ...search, name: 'colour' } }),
  harmless(
    'a parameter may be left out',
    'request',
    { [`${LIST}/parameters/0/required`]: false },
    {
      [`${LIST}/parameters/0/required`]: true,
    },
  ),
  harmless('a parameter takes a value more', 'request', { [`${LIST}/parameters/1/schema/enum/2`]: 'weight' }),
  harmless('a parameter takes a longer text', 'request', { [`${LIST}/parameters/0/schema/maxLength`]: 100 }),
  harmless('an optional body is new', 'request', {
    [`${LIST}/requestBody`]: { content: { 'application/json': { schema: {} } } },
  }),
  harmless('a media type of the body is new', 'request', {
    [`${ADD}/requestBody/content/application~1xml`]: { schema: { type: 'object' } },
  }),
  harmless('a request property may be left out', 'request', { [`${NEW}/required/1`]: undefined }),
  harmless('an optional request property is new', 'request', { [`${NEW}/properties/colour`]: text }),
  harmless('a request property takes more', 'request', { [`${NEW}/properties/quantity/maximum`]: 50 }),
  harmless('a request property takes fractions', 'request', { [`${NEW}/properties/quantity/type`]: 'number' }),
  harmless('a request property takes finer steps', 'request', { [`${NEW}/properties/weight/multipleOf`]: 0.25 }),
  harmless('a request property may be null', 'request', { [`${NEW}/properties/name/nullable`]: true }),
  harmless('a request property takes a number too', 'request', {
    [`${NEW}/properties/name`]: { anyOf: [{ type: 'string', minLength: 1, maxLength: 80 }, { type: 'integer' }] },
  }),
  harmless('a request property takes a value more', 'request', { [`${NEW}/properties/size/enum/2`]: 'huge' }),
  harmless(
    'a request takes other properties again',
    'request',
    { [`${NEW}/additionalProperties`]: true },
    {
      [`${NEW}/additionalProperties`]: false,
    },
  ),
  harmless('a request alternative is new', 'request', {
    '/components/schemas/Payment/oneOf/2': { $ref: '#/components/schemas/Cash' },
  }),
  harmless(
    'an operation asks for no key any more',
    'request',
    { [`${ADD}/security`]: [] },
    { '/security': [{ key: [] }] },
  ),
  harmless(
    'a token does as well as a key',
    'request',
    { '/security/1': { token: [] } },
    { '/security': [{ key: [] }] },
  ),
  harmless('a success more', 'response', { [`${ADD}/responses/202`]: { description: 'Later' } }),
  harmless('an error more', 'response', { [`${LIST}/responses/409`]: { description: 'Not now' } }),
  harmless('an error less', 'response', { '/paths/~1items~1{id}/get/responses/404': undefined }),
  harmless('a media type of an answer is new', 'response', {
    [`${ADD}/responses/201/content/application~1xml`]: { schema: { type: 'object' } },
  }),
  harmless('a header is new', 'response', { [`${LISTED}/headers/X-Pages`]: { schema: { type: 'integer' } } }),
  harmless(
    'a header is always there',
    'response',
    { [`${LISTED}/headers/X-Total/required`]: true },
    {
      [`${LISTED}/headers/X-Total/required`]: false,
    },
  ),
  harmless('an optional response property is new', 'response', { [`${ITEM}/properties/colour`]: text }),
  harmless('a required response property is new', 'response', {
    [`${ITEM}/properties/colour`]: text,
    [`${ITEM}/required/3`]: 'colour',
  }),
  harmless('a response property is always there', 'response', { [`${ITEM}/required/3`]: 'weight' }),
  harmless('a response property may be a value less', 'response', { [`${ITEM}/properties/size/enum/1`]: undefined }),
  harmless('a response property is never null any more', 'response', { [`${ITEM}/properties/note/nullable`]: false }),
  harmless('a response property is a whole number', 'response', { [`${ITEM}/properties/weight/type`]: 'integer' }),
  harmless('a response property is within limits', 'response', { [`${ITEM}/properties/weight/minimum`]: 0 }),
  harmless('a response property is shorter', 'response', { [`${ITEM}/properties/name/maxLength`]: 40 }),
  harmless('a response property is a date', 'response', { [`${ITEM}/properties/note/format`]: 'date' }),
  harmless('a response property is deprecated', 'response', { [`${ITEM}/properties/weight/deprecated`]: true }),
  harmless('a response alternative is gone', 'response', { [`${RECEIPT}/anyOf/1`]: undefined }),
  harmless('the API is at another host', 'both', { '/servers/0/url': 'https://api.example.com/' }),
  harmless('a webhook is new', 'both', { '/webhooks': { paid: { post: { responses: {} } } } }),
  harmless(
    'a webhook takes a response more',
    'response',
    { '/webhooks/paid/post/responses/204': { description: 'Received' } },
    { '/webhooks': { paid: { post: { responses: {} } } } },
  ),
  harmless('a callback is new', 'both', { [`${ADD}/callbacks`]: { added: { '/done': { post: { responses: {} } } } } }),
  harmless('a response gets a rule of JSON Schema', 'response', {
    [`${ITEM}/dependentRequired`]: { weight: ['size'] },
  }),
];
