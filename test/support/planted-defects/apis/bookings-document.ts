import type { Schema } from './api.ts';

const text = (maxLength: number): Schema => ({ type: 'string', minLength: 1, maxLength });
const refer = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: Schema) => ({ content: { 'application/json': { schema } } });
const error = (description: string) => ({ description, ...json(refer('Error')) });
const query = (name: string, schema: Schema) => ({ name, in: 'query', schema });
const PAGE = [
  query('page', { type: 'integer', minimum: 1, default: 1 }),
  query('pageSize', { type: 'integer', minimum: 1, maximum: 100, default: 20 }),
];
const CURRENT = { name: 'If-Match', in: 'header', schema: { type: 'string' } };

const ROOM: Record<string, Schema> = {
  number: { type: 'string', description: 'Unique number of the room', pattern: '^[A-Z]{1,2}-[0-9]{1,4}$' },
  title: text(60),
  beds: { type: 'integer', minimum: 1, maximum: 8 },
  priceCents: { type: 'integer', minimum: 0, maximum: 5_000_000 },
  view: { enum: ['sea', 'garden', 'street'] },
  remark: text(160),
};
const BOOKING: Record<string, Schema> = {
  roomId: { type: 'string', pattern: '^rm_[0-9a-z]+$' },
  guest: text(120),
  email: { type: 'string', format: 'email' },
  arrival: { type: 'string', format: 'date' },
  departure: { type: 'string', format: 'date' },
  depositCents: { type: 'integer', minimum: 0, maximum: 9_999_999 },
  discount: { type: 'number', minimum: 0, maximum: 50, multipleOf: 0.25 },
  channel: { enum: ['web', 'phone', 'desk'] },
  wishes: { type: ['string', 'null'], maxLength: 400 },
  extras: { type: 'array', maxItems: 5, items: refer('Extra') },
};
const STATUS = { enum: ['requested', 'confirmed', 'cancelled'], readOnly: true };

const responses = (success: object, ...statuses: readonly (400 | 404 | 409 | 412 | 422 | 428)[]) => ({
  ...success,
  '401': error('The token is missing or wrong'),
  ...Object.fromEntries(statuses.map((status) => [status, error(DESCRIPTIONS[status])])),
});
const DESCRIPTIONS = {
  400: 'The request does not match its schema',
  404: 'Not found',
  409: 'Conflict',
  412: 'The resource has another version',
  422: 'The values contradict each other, or the room does not exist',
  428: 'If-Match is missing',
};
const one = (name: string, headers = {}) => ({
  description: name,
  headers: { ETag: { schema: { type: 'string' } }, ...headers },
  ...json(refer(name)),
});
const made = (name: string) => ({ '201': one(name, { Location: { required: true, schema: { type: 'string' } } }) });
const found = (name: string) => ({ '200': one(name) });
const page = (name: string) => ({
  '200': {
    description: 'A page',
    ...json({
      type: 'object',
      required: ['items', 'page', 'total'],
      properties: {
        items: { type: 'array', items: refer(name) },
        page: { type: 'integer' },
        total: { type: 'integer' },
      },
    }),
  },
});
const body = (name: string, type = 'application/json') => ({
  requestBody: { required: true, content: { [type]: { schema: refer(name) } } },
});
const GONE = { '204': { description: 'Deleted' } };
const path = (name: string) => [{ name, in: 'path', required: true, schema: { type: 'string' } }];

/** The documented habits of a server. */
export interface DocumentedHabits {
  readonly listDescription?: string;
}

/** Creates the OpenAPI document of rooms and their bookings. */
export function createBookingsDocument({ listDescription = 'Bookings' }: DocumentedHabits = {}): object {
  const paths = {
    '/me': { get: { operationId: 'getMe', responses: responses(found('User')) } },
    '/rooms': {
      get: { operationId: 'listRooms', parameters: PAGE, responses: responses(page('Room'), 400) },
      post: { operationId: 'createRoom', ...body('RoomInput'), responses: responses(made('Room'), 400, 409) },
    },
    '/rooms/{roomId}': {
      parameters: path('roomId'),
      get: { operationId: 'getRoom', responses: responses(found('Room'), 404) },
      put: {
        operationId: 'replaceRoom',
        parameters: [CURRENT],
        ...body('RoomInput'),
        responses: responses(found('Room'), 400, 404, 409, 412, 428),
      },
      delete: { operationId: 'deleteRoom', responses: responses(GONE, 404, 409) },
    },
    '/bookings': {
      get: {
        operationId: 'listBookings',
        description: listDescription,
        parameters: [
          ...PAGE,
          query('status', { enum: STATUS.enum }),
          query('roomId', { type: 'string' }),
          query('channel', BOOKING.channel as Schema),
          query('guest', { type: 'string' }),
        ],
        responses: responses(page('Booking'), 400),
      },
      post: { operationId: 'createBooking', ...body('BookingInput'), responses: responses(made('Booking'), 400, 422) },
    },
    '/bookings/{bookingId}': {
      parameters: path('bookingId'),
      get: { operationId: 'getBooking', responses: responses(found('Booking'), 404) },
      patch: {
        operationId: 'updateBooking',
        parameters: [CURRENT],
        ...body('BookingPatch', 'application/merge-patch+json'),
        responses: responses(found('Booking'), 400, 404, 412, 422),
      },
      delete: { operationId: 'deleteBooking', responses: responses(GONE, 404) },
    },
    '/bookings/{bookingId}/confirm': {
      parameters: path('bookingId'),
      post: { operationId: 'confirmBooking', responses: responses(found('Booking'), 404, 409) },
    },
    '/bookings/{bookingId}/cancel': {
      parameters: path('bookingId'),
      post: {
        operationId: 'cancelBooking',
        responses: { ...responses(found('Booking'), 404), '409': error('The booking is already cancelled') },
      },
    },
  };
  const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', required, properties });
  const ID = { type: 'string', readOnly: true };
  const DELETED = { type: 'string', format: 'date-time', readOnly: true };
  const neededOfRoom = ['number', 'title', 'beds', 'priceCents'];
  const neededOfBooking = ['roomId', 'guest', 'email', 'arrival', 'departure', 'depositCents'];
  const schemas = {
    User: object({ name: { type: 'string' } }, ['name']),
    RoomInput: object(ROOM, neededOfRoom),
    Room: object({ id: ID, deletedAt: DELETED, ...ROOM }, ['id', ...neededOfRoom]),
    Extra: object({ label: text(30), days: { type: 'array', items: { type: 'string', format: 'date' } } }, ['label']),
    BookingInput: object(BOOKING, neededOfBooking),
    BookingPatch: { ...object(BOOKING), minProperties: 1 },
    Booking: object({ id: ID, status: STATUS, deletedAt: DELETED, ...BOOKING }, ['id', 'status', ...neededOfBooking]),
    Error: object({ code: { type: 'string' }, message: { type: 'string' } }, ['code']),
  };
  return {
    openapi: '3.1.0',
    info: { title: 'Bookings', version: '1' },
    security: [{ token: [] }],
    paths,
    components: { schemas, securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  };
}
