/** The planted defects of the server, with the rule that each violates. */
export const CLINIC_DEFECTS = {
  'the last entry of a page is the first of the next': 'page-selection',
  'the cursor is ignored': 'page-selection',
  'a page has one entry more than the limit': 'page-size',
  'the total is that of the page': 'page-total',
  'the total of appointments ignores filters': 'page-total',
  'the last page has a cursor': 'page-selection',
  'the filter by status is ignored': 'filter-selects',
  'the filter by last name is ignored': 'filter-selects',
  'the filter by specialty finds nothing': 'filter-finds',
  'from is ignored': 'filter-selects',
  'to is ignored': 'filter-selects',
  'to finds later appointments': 'filter-selects',
  'from compares texts': 'filter-selects',
  'min_price is ignored': 'filter-selects',
  'max_price compares texts': 'filter-selects',
  'min_fee is an upper limit': 'filter-selects',
  'born_after is ignored': 'filter-selects',
  'born_before finds patients born later': 'filter-selects',
  'q is ignored': 'filter-selects',
  'sort=-start sorts in ascending order': 'list-sorted',
  'the sort of patients is ignored': 'list-sorted',
  'prices are sorted as texts': 'list-sorted',
  'names are sorted by their length': 'list-sorted',
  'only the entries of each page are sorted': 'list-sorted',
  'a changed e-mail address is not checked': 'unique-update',
  'two patients at once get the same e-mail address': 'unique-concurrent',
  'an existing e-mail address is a 500': 'server-error',
  'PUT keeps the notes that it does not have': 'put-replaces',
  'PUT keeps the bio of a doctor': 'put-replaces',
  'PATCH removes the phone that it does not have': 'patch-keeps',
  'PATCH empties the allergies that it does not have': 'patch-keeps',
  'PATCH ignores null': 'null-removes',
  'PUT of a new doctor stores nothing': 'created-readable',
  'PUT of an existing doctor stores nothing': 'stored-change',
  'last names are cut off at 64 characters': 'long-text',
  'first names are stored as ASCII': 'text-letters',
  'the severity of allergies is lost': 'stored-value',
  'the number of the insurance is lost': 'stored-value',
  'fees are rounded to a hundred cents': 'stored-value',
  'the birth date is a day early': 'stored-value',
  'the room is never stored': 'stored-value',
  'the list shows patients as they were registered': 'list-current',
  'If-Match of a PATCH is ignored': 'if-match',
  'PUT does not require If-Match': 'if-match-required',
  'the ETag is made from the id': 'etag-changes',
  'patients can be deleted without a key': 'credentials-required',
  'appointments can be listed with any key': 'credentials-required',
  'the 401 is HTML': 'refusal-schema',
  'check_in stores nothing': 'stored-change',
  'Location lacks the id': 'location',
  'deleting an unknown doctor is a 204': 'unknown-id',
  'days that do not exist are accepted': 'invalid-refused',
  'a fee can have a fraction of a cent': 'invalid-refused',
  'a deleted patient can still be read': 'deleted-readable',
  'a deleted patient stays in the list': 'deleted-listed',
  'deleting a doctor stores nothing': 'deleted-readable',
  'deleting a patient also deletes the one before': 'other-resources',
  'an unknown appointment is a 200': 'unknown-id',
  'the filter by doctor compares prefixes': 'filter-selects',
  'two patients can have the same e-mail address': 'create-unique',
  'the license number of a changed doctor is not checked': 'unique-update',
  'appointments start an hour later in summer': 'stored-value',
  'the reason of a cancellation is not stored': 'stored-value',
  'the list lacks patients without a phone': 'created-listed',
  'a cancelled appointment can be checked in': 'action-refused',
} as const;

/** A defect that the check does not find: a repeated action may succeed if the contract only says `Conflict`. */
export const CLINIC_UNFOUND = 'an appointment can be cancelled twice';

/** What correct servers do. */
export const CLINIC_HABITS = [
  'refuses rules with 400',
  'refuses overlapping appointments',
  'needs doctors without appointments for a deletion',
  'trims texts',
  'writes e-mail addresses in lower case',
  'finds parts of last names in any case',
  'sorts texts without regard to case',
  'sorts texts with the rules of a language',
  'has to as an exclusive limit',
  'writes times in UTC',
  'deleted patients are 410, as documented',
  'new cursors for each page',
  'newest entries first',
  'lists 150 ms late',
  'responds after 20 ms',
  'limits the rate',
  'compresses with gzip',
  'closes each connection',
  'has weak ETags',
  'writes null for properties without a value',
] as const;

export type ClinicVariant =
  | keyof typeof CLINIC_DEFECTS
  | typeof CLINIC_UNFOUND
  | (typeof CLINIC_HABITS)[number]
  | undefined;

/** The API key that the server accepts. */
export const API_KEY = 'key-93f0b1d2a7c4';

export const CLINIC_HEADERS = { 'x-api-key': API_KEY };
