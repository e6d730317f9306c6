import { createBookingsDocument } from './bookings-document.ts';

/** The planted defects of the server, with the rule that each violates. */
export const BOOKING_DEFECTS = {
  'the second page starts with the last booking of the first': 'page-selection',
  'every page is the first one': 'page-selection',
  'the second page starts one booking too late': 'page-selection',
  'pageSize is ignored': 'page-size',
  'the total is that of the page': 'page-total',
  'the total ignores filters': 'page-total',
  'the filter by status is ignored': 'filter-selects',
  'the filter by channel also finds one booking of another channel': 'filter-selects',
  'the filter by room compares prefixes': 'filter-selects',
  'the filter by guest is ignored': 'filter-selects',
  'the filter by channel finds nothing': 'filter-finds',
  'a room can be renumbered to a number that exists': 'unique-update',
  'two rooms can have the same number': 'create-unique',
  'two rooms at once get the same number': 'unique-concurrent',
  'a second room with a number replaces the first': 'create-overwrites',
  'an existing number is a 500': 'server-error',
  'PUT keeps the remark that it does not have': 'put-replaces',
  'PATCH removes the wishes that it does not have': 'patch-keeps',
  'PATCH resets the channel that it does not have': 'patch-keeps',
  'PATCH ignores null': 'null-removes',
  'guests are cut off at 80 characters': 'long-text',
  'guests are stored as ASCII': 'text-letters',
  'guests lose the upper byte of each letter': 'text-letters',
  'letters of four bytes are replaced in guests': 'text-letters',
  'the departure is a day early': 'stored-value',
  'the days of extras are lost': 'stored-value',
  'the channel is never stored': 'stored-value',
  'PATCH does not store the deposit': 'stored-value',
  'the discount is rounded to a whole number': 'stored-value',
  'the list shows bookings as they were created': 'list-current',
  'the list lacks bookings by phone': 'created-listed',
  'If-Match of a PATCH is ignored': 'if-match',
  'the ETag is that of the first version': 'etag-changes',
  'PUT does not require If-Match': 'if-match-required',
  'bookings can be deleted without a token': 'credentials-required',
  'only the length of the token is compared': 'credentials-required',
  'the 401 is plain text': 'refusal-schema',
  'confirm stores nothing': 'stored-change',
  'a cancelled booking can be confirmed': 'action-refused',
  'a booking can be cancelled twice': 'action-refused',
  'Location has the path of another version': 'location',
  'unknown bookings are empty objects with 200': 'unknown-id',
  'deleting an unknown booking is a 204': 'unknown-id',
  'bookings are found by the start of their id': 'unknown-id',
  'days that do not exist are accepted': 'invalid-refused',
  'a deposit can have a fraction of a cent': 'invalid-refused',
  'a deleted booking stays': 'deleted-readable',
  'a deleted booking stays in the list': 'deleted-listed',
} as const;

/** What correct servers do. */
export const BOOKING_HABITS = [
  'refuses rules with 400',
  'trims texts',
  'writes e-mail addresses in lower case',
  'accepts e-mail addresses with any characters but spaces',
  'marks deleted bookings',
  'lists 200 ms late',
  'lists 3 s late, as documented',
  'responds after 30 ms',
  'limits the rate',
  'compresses with gzip',
  'closes each connection',
  'refuses a second confirmed booking of a room',
  'has a quota of 300 bookings',
  'needs a room that exists',
  'has the newest bookings first',
] as const;

export type BookingVariant = keyof typeof BOOKING_DEFECTS | (typeof BOOKING_HABITS)[number] | undefined;

/** The token that the API accepts. */
export const TOKEN = 'tok-4b1f0c9de27a';

/** The credentials of the API. */
export const BOOKING_HEADERS = { authorization: `Bearer ${TOKEN}` };

/** Returns the OpenAPI document of a variant. */
export function describeBookings(variant: BookingVariant): object {
  const late = variant === 'lists 3 s late, as documented';
  return createBookingsDocument(late ? { listDescription: 'New bookings appear within 4 seconds.' } : {});
}
