import type { Api, Entry, Page, Schema } from './api.ts';

const TYPE = 'application/json';

const refer = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const content = (schema: Schema, type = TYPE) => ({ content: { [type]: { schema } } });
const error = (description: string) => ({ description, ...content(refer('Error')) });
const ERRORS = { '401': error('The token is missing or wrong'), '400': error('The request is invalid') };
const NOT_FOUND = { '404': error('The ticket does not exist') };
const ETAG = { headers: { ETag: { schema: { type: 'string' } } } };
const TICKET = { description: 'The ticket', ...ETAG, ...content(refer('TicketEnvelope')) };
const RULES = {
  '422': error('The end is before the start'),
  '409': error('The reference exists, or the quota is reached'),
};
const VERSION = {
  '412': error('The ticket has another version'),
  '428': error('If-Match is missing'),
};
const IF_MATCH = { name: 'If-Match', in: 'header', schema: { type: 'string' } };
const ID = { name: 'ticket_id', in: 'path', required: true, schema: { type: 'string' } };
const query = (name: string, schema: Schema, description = '') => ({ name, in: 'query', schema, description });

const VALUES: Record<string, Schema> = {
  title: { type: 'string', minLength: 1, maxLength: 200 },
  reference: { type: 'string', pattern: '^[A-Z]{3}-[0-9]{4,6}$' },
  start: { type: 'string', format: 'date' },
  end: { type: 'string', format: 'date' },
  amountCents: { type: 'integer', minimum: 0, maximum: 10_000_000 },
  kind: { type: 'string', enum: ['bug', 'question', 'order'] },
  assigneeId: { type: 'string', pattern: '^u[0-9]{2,5}$' },
  note: { type: ['string', 'null'], maxLength: 300 },
  priority: { type: 'string', enum: ['low', 'normal', 'high'] },
  urgent: { type: 'boolean' },
  lines: { type: 'array', maxItems: 5, items: refer('Line') },
};
const REQUIRED = ['title', 'reference', 'start', 'end', 'amountCents', 'kind', 'assigneeId'];

const schemas = {
  Line: {
    type: 'object',
    required: ['label'],
    properties: {
      label: { type: 'string', minLength: 1 },
      parts: { type: 'array', items: { type: 'integer', minimum: 0, maximum: 999 } },
    },
  },
  NewTicket: { type: 'object', required: REQUIRED, properties: VALUES, additionalProperties: false },
  TicketPatch: {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(VALUES).map(([name, schema]) => [
        name,
        name === 'lines' ? { ...schema, type: ['array', 'null'] } : schema,
      ]),
    ),
    additionalProperties: false,
  },
  Ticket: {
    type: 'object',
    required: ['id', 'status', ...REQUIRED],
    properties: {
      id: { type: 'string', readOnly: true },
      status: { type: 'string', enum: ['open', 'closed', 'cancelled'], readOnly: true },
      deletedAt: { type: 'string', format: 'date-time', readOnly: true },
      ...VALUES,
    },
  },
  TicketEnvelope: { type: 'object', required: ['data'], properties: { data: refer('Ticket') } },
  TicketPage: {
    type: 'object',
    required: ['data', 'meta'],
    properties: {
      data: { type: 'array', items: refer('Ticket') },
      meta: {
        type: 'object',
        required: ['total'],
        properties: { total: { type: 'integer' }, next_cursor: { type: ['string', 'null'] } },
      },
    },
  },
  Error: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: { code: { type: 'integer' }, message: { type: 'string' } },
      },
    },
  },
};

const LIST_DESCRIPTION = 'Lists the tickets, the oldest first.';

const paths = {
  '/tickets': {
    get: {
      operationId: 'listTickets',
      description: LIST_DESCRIPTION,
      parameters: [
        query('limit', { type: 'integer', minimum: 1, maximum: 100, default: 20 }),
        query('cursor', { type: 'string' }, 'The next_cursor of the page before'),
        query('kind', VALUES.kind as Schema, 'Tickets of this kind'),
        query('assigneeId', { type: 'string' }, 'Tickets with this assignee'),
        query('title', { type: 'string', minLength: 1 }, 'Tickets with this title'),
      ],
      responses: { '200': { description: 'A page', ...content(refer('TicketPage')) }, ...ERRORS },
    },
    post: {
      operationId: 'createTicket',
      requestBody: { required: true, ...content(refer('NewTicket')) },
      responses: {
        '201': { ...TICKET, headers: { ...ETAG.headers, Location: { schema: { type: 'string' } } } },
        ...ERRORS,
        ...RULES,
      },
    },
  },
  '/tickets/{ticket_id}': {
    get: { operationId: 'getTicket', parameters: [ID], responses: { '200': TICKET, ...ERRORS, ...NOT_FOUND } },
    put: {
      operationId: 'replaceTicket',
      parameters: [ID, IF_MATCH],
      requestBody: { required: true, ...content(refer('NewTicket')) },
      responses: { '200': TICKET, ...ERRORS, ...NOT_FOUND, ...RULES, ...VERSION },
    },
    patch: {
      operationId: 'updateTicket',
      parameters: [ID, IF_MATCH],
      requestBody: { required: true, ...content(refer('TicketPatch'), 'application/merge-patch+json') },
      responses: { '200': TICKET, ...ERRORS, ...NOT_FOUND, ...RULES, ...VERSION },
    },
    delete: {
      operationId: 'deleteTicket',
      parameters: [ID],
      responses: { '204': { description: 'Deleted' }, ...ERRORS, ...NOT_FOUND },
    },
  },
  '/tickets/{ticket_id}/close': {
    post: {
      operationId: 'closeTicket',
      parameters: [ID],
      responses: { '200': TICKET, ...ERRORS, ...NOT_FOUND, '409': error('The ticket is not open') },
    },
  },
  '/tickets/{ticket_id}/cancel': {
    post: {
      operationId: 'cancelTicket',
      parameters: [ID],
      responses: { '200': TICKET, ...ERRORS, ...NOT_FOUND, '409': error('The ticket is already cancelled') },
    },
  },
};

const TOKEN = 'c3RvcmU.dGlja2V0cw.c2lnbmF0dXJlLTAx';

/** An API with envelopes, cursors, a bearer token, merge patches and required versions. */
export const ticketsApi: Api = {
  document: {
    openapi: '3.1.0',
    info: { title: 'Tickets', version: '1' },
    security: [{ token: [] }],
    paths,
    components: { schemas, securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  },
  resources: [
    {
      path: '/tickets',
      newId: (count) => `t${(count * 7_919 + 100_003).toString(36)}x`,
      unique: 'reference',
      filters: ['kind', 'assigneeId', 'title'],
      actions: { close: { to: 'closed', from: ['open'] }, cancel: { to: 'cancelled', from: ['open', 'closed'] } },
      needsVersion: () => true,
      created: { status: 'open' },
    },
  ],
  target: '/tickets',
  headers: { authorization: `Bearer ${TOKEN}` },
  isAuthorized: ({ authorization = '' }, isExact) =>
    isExact ? authorization === `Bearer ${TOKEN}` : authorization.startsWith('Bearer '),
  readPage(query) {
    const cursor = Buffer.from(query.get('cursor') ?? '', 'base64url').toString();
    return { start: /^\d{1,9}$/.test(cursor) ? Number(cursor) : 0, size: Number(query.get('limit') ?? 20) };
  },
  writeEntry: (entry: Entry) => ({ type: TYPE, json: { data: entry } }),
  writePage: ({ entries, total, next }: Page) => ({
    type: TYPE,
    json: {
      data: entries,
      meta: { total, next_cursor: next === undefined ? null : Buffer.from(String(next)).toString('base64url') },
    },
  }),
  writeError: (code, message) => ({ type: TYPE, json: { error: { code, message } } }),
};
