import { LIMITS, REQUEST_TIMEOUT_MS } from '../../src/http/server.ts';
import { type Document, getNode } from '../../src/openapi/document.ts';
import { QUANTITY_LIMIT } from '../../src/shop/domain/cart.ts';
import { MAX_TERM_LENGTH } from '../../src/shop/search/product-search.ts';
import { MAX_BODY_BYTES } from '../../src/util/limits.ts';
import type { DocumentFinding } from './finding.ts';

/** A place in openapi.yaml that documents a limit in the code of the server. */
interface DocumentedLimit {
  /** The name of the constant in the code. */
  readonly constant: string;
  readonly pointer: string;
  /** The words that the text at this place must contain, or the number that must be at this place. */
  readonly expected: string | number;
}

const EXAMPLES = '/content/application~1problem+json/examples';
const TOO_LARGE = '/components/responses/BodyTooLarge';
const REFUSED = '/components/responses/Refused';
const ADD_CART_ITEM = '/paths/~1api~1cart-items/post';

/**
 * The documented limits. A change of a constant in the code requires a change of openapi.yaml. Limits in schemas need no entry here, because the server
 * enforces the schemas.
 */
const DOCUMENTED_LIMITS: readonly DocumentedLimit[] = [
  ...createLimits('MAX_BODY_BYTES', {
    [`${TOO_LARGE}/description`]: `${formatKilobytes(MAX_BODY_BYTES)} (${formatNumber(MAX_BODY_BYTES)} bytes)`,
    [`${TOO_LARGE}${EXAMPLES}/bodyTooLarge/value/detail`]: `${MAX_BODY_BYTES} bytes`,
  }),
  ...createLimits('LIMITS.maxHeaderSize', {
    [`${REFUSED}/description`]: `headers exceed ${formatKilobytes(LIMITS.maxHeaderSize)}`,
    [`${REFUSED}${EXAMPLES}/headersTooLarge/summary`]: formatKilobytes(LIMITS.maxHeaderSize),
    [`${REFUSED}${EXAMPLES}/headersTooLarge/value/detail`]: formatKilobytes(LIMITS.maxHeaderSize),
  }),
  ...createLimits('REQUEST_TIMEOUT_MS', {
    [`${REFUSED}/description`]: `did not arrive within ${REQUEST_TIMEOUT_MS / 1_000} s`,
  }),
  ...createLimits('MAX_TERM_LENGTH', {
    '/paths/~1api~1products/get/description': `the first ${MAX_TERM_LENGTH} characters`,
  }),
  ...createLimits('QUANTITY_LIMIT', {
    '/components/schemas/Quantity/maximum': QUANTITY_LIMIT,
    [`${ADD_CART_ITEM}/description`]: `up to ${formatNumber(QUANTITY_LIMIT)}`,
    [`${ADD_CART_ITEM}/responses/409/description`]: `would exceed ${formatNumber(QUANTITY_LIMIT)}`,
    [`${ADD_CART_ITEM}/responses/409${EXAMPLES}/quantityLimit/value/detail`]: `the limit of ${QUANTITY_LIMIT}`,
  }),
];

/** Returns a finding for each limit that openapi.yaml does not document, or documents with another value. */
export function limitFindings(document: Document): readonly DocumentFinding[] {
  return DOCUMENTED_LIMITS.flatMap(({ constant, pointer, expected }) => {
    const value = getNode(document, pointer);
    const isDocumented =
      typeof expected === 'number' ? value === expected : typeof value === 'string' && containsWords(value, expected);
    if (isDocumented) return [];
    const message = `The server enforces the limit ${constant}: this place in the document must contain ${JSON.stringify(expected)}`;
    return [{ check: 'limits', pointer, message }];
  });
}

/** Returns whether a text contains `words`. The text "164 kB" does not contain "64 kB". */
function containsWords(text: string, words: string): boolean {
  const parts = ` ${text.replaceAll(/\s+/g, ' ')} `.split(words);
  return parts.some(
    (before, index) => index < parts.length - 1 && !/[\d.,]$/.test(before) && !/^[.,]?\d/.test(parts[index + 1] ?? ''),
  );
}

function createLimits(constant: string, places: Readonly<Record<string, string | number>>): readonly DocumentedLimit[] {
  return Object.entries(places).map(([pointer, expected]) => ({ constant, pointer, expected }));
}

function formatKilobytes(bytes: number): string {
  return `${bytes / 1_024} kB`;
}

function formatNumber(number: number): string {
  return number.toLocaleString('en-US');
}
