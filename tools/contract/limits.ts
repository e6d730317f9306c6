import { MAX_BODY_BYTES } from '../../src/http/pipeline/body.ts';
import { LIMITS, REQUEST_TIMEOUT_MS } from '../../src/http/server.ts';
import { type Document, getNode } from '../../src/openapi/document.ts';
import { QUANTITY_LIMIT } from '../../src/shop/domain/cart.ts';
import { MAX_TERM_LENGTH } from '../../src/shop/search/product-index.ts';
import type { DocumentFinding } from './finding.ts';

/** A place of openapi.yaml that tells a limit which the server enforces in its code. */
interface DocumentedLimit {
  /** The constant that is enforced. */
  readonly constant: string;
  readonly pointer: string;
  /** What has to stand there: in a text, or as a number. */
  readonly documented: string | number;
}

const PROBLEM = '/content/application~1problem+json/examples';
const TOO_LARGE = '/components/responses/BodyTooLarge';
const BESIDE = '/components/responses/Refused';
const ADD = '/paths/~1api~1cart-items/post';

/** Where each limit is told: a change of the constant, or of the words, has to come with the other. Limits of schemas are enforced as they stand. */
const DOCUMENTED_LIMITS: readonly DocumentedLimit[] = [
  ...documented('LIMIT_BYTES of http/body.ts', {
    [`${TOO_LARGE}/description`]: `${kilobytes(MAX_BODY_BYTES)} (${formatNumber(MAX_BODY_BYTES)} bytes)`,
    [`${TOO_LARGE}${PROBLEM}/bodyTooLarge/value/detail`]: `${MAX_BODY_BYTES} bytes`,
  }),
  ...documented('maxHeaderSize of http/server.ts', {
    [`${BESIDE}/description`]: `the headers exceed ${kilobytes(LIMITS.maxHeaderSize)}`,
    [`${BESIDE}${PROBLEM}/headersTooLarge/summary`]: kilobytes(LIMITS.maxHeaderSize),
    [`${BESIDE}${PROBLEM}/headersTooLarge/value/detail`]: kilobytes(LIMITS.maxHeaderSize),
  }),
  ...documented('REQUEST_TIMEOUT_MS of http/server.ts', {
    [`${BESIDE}/description`]: `did not arrive within ${REQUEST_TIMEOUT_MS / 1_000} s`,
  }),
  ...documented('TERM_LIMIT of search/product-index.ts', {
    '/paths/~1api~1products/get/description': `the first ${MAX_TERM_LENGTH} characters`,
  }),
  ...documented('QUANTITY_LIMIT of domain/cart.ts', {
    '/components/schemas/Quantity/maximum': QUANTITY_LIMIT,
    [`${ADD}/description`]: `up to ${formatNumber(QUANTITY_LIMIT)}`,
    [`${ADD}/responses/409/description`]: `would exceed ${formatNumber(QUANTITY_LIMIT)}`,
    [`${ADD}/responses/409${PROBLEM}/quantityLimit/value/detail`]: `the limit of ${QUANTITY_LIMIT} of a product`,
  }),
];

/** The limits that the server enforces and openapi.yaml doesn't tell, or tells otherwise. */
export function limitFindings(document: Document): readonly DocumentFinding[] {
  return DOCUMENTED_LIMITS.flatMap(({ constant, pointer, documented: expected }) => {
    const there = getNode(document, pointer);
    const isDocumented =
      typeof expected === 'number' ? there === expected : typeof there === 'string' && containsWords(there, expected);
    if (isDocumented) return [];
    const message = `The server enforces ${constant}: this place must contain ${JSON.stringify(expected)}`;
    return [{ check: 'limits', pointer, message }];
  });
}

/** Whether a text has these words; "64 kB" doesn't stand in "164 kB". */
function containsWords(text: string, words: string): boolean {
  const place = ` ${text.replaceAll(/\s+/g, ' ')} `.split(words);
  return place.some(
    (before, index) => index < place.length - 1 && !/[\d.,]$/.test(before) && !/^[.,]?\d/.test(place[index + 1] ?? ''),
  );
}

function documented(constant: string, places: Readonly<Record<string, string | number>>): readonly DocumentedLimit[] {
  return Object.entries(places).map(([pointer, words]) => ({ constant, pointer, documented: words }));
}

function kilobytes(bytes: number): string {
  return `${bytes / 1_024} kB`;
}

function formatNumber(number: number): string {
  return number.toLocaleString('en-US');
}
