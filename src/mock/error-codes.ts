import { createStatusProblem } from './status-problem.ts';

/** Common error codes, as lower-case words, by status. A schema can allow any of them in its `enum`. */
const CODES: Readonly<Record<number, readonly string[]>> = {
  400: [
    'validation error',
    'validation failed',
    'invalid argument',
    'invalid input',
    'invalid parameter',
    'invalid parameters',
    'invalid params',
    'bad request',
    'invalid',
    'validation',
    'bad input',
    'malformed request',
    'unprocessable entity',
  ],
  401: [
    'unauthorized',
    'unauthenticated',
    'authentication required',
    'not authenticated',
    'invalid credentials',
    'invalid token',
    'authentication',
    'missing token',
    'token expired',
    'session expired',
    'expired',
    'login required',
    'not logged in',
  ],
  403: ['forbidden', 'permission denied', 'access denied', 'unauthorized', 'insufficient permissions', 'not allowed'],
  404: ['not found', 'resource not found', 'missing', 'unknown resource', 'does not exist', 'no such resource'],
  408: ['timeout', 'timed out'],
  409: ['conflict', 'already exists', 'duplicate', 'resource exists', 'exists', 'in use', 'taken', 'invalid state'],
  410: ['deleted', 'expired'],
  413: ['payload too large', 'too large'],
  415: ['unsupported media type', 'invalid content type'],
  429: [
    'rate limited',
    'rate limit',
    'rate limit exceeded',
    'too many',
    'throttled',
    'quota exceeded',
    'slow down',
    'busy',
  ],
  500: ['internal', 'server', 'unexpected', 'unknown'],
  502: ['upstream', 'gateway'],
  503: ['unavailable', 'temporarily unavailable', 'maintenance', 'overloaded', 'busy', 'down', 'offline', 'try again'],
  504: ['timeout', 'upstream timeout', 'timed out'],
};

const CLIENT_CODES = ['bad request', 'client error', 'request error'];

const SERVER_CODES = ['server error', 'internal server error', 'internal'];

const GENERAL_CODES = ['api error', 'general error', 'error', 'failure', 'failed', 'unknown'];

/** Functions that join words to a code, in styles such as `not_found`, `NOT_FOUND` and `NotFound`. */
const STYLES: readonly ((words: readonly string[]) => string)[] = [
  (words) => words.join('_'),
  (words) => words.join('_').toUpperCase(),
  (words) => words.join('-'),
  (words) => words.map(capitalize).join(''),
  ([first = '', ...words]) => first + words.map(capitalize).join(''),
  (words) => words.join(' '),
  (words) => words.map(capitalize).join(' '),
];

/** The cache of the common error codes, by status. Each status has hundreds of codes. */
const codesByStatus = new Map<number, readonly string[]>();

/** Returns codes for an error: its own code, followed by common codes for its status. */
export function getCodes({ code, status }: { readonly code: string; readonly status: number }): readonly string[] {
  const common = codesByStatus.get(status) ?? toCodes(getPhrases(status));
  codesByStatus.set(status, common);
  return [code, ...toCodes([code.replaceAll('-', ' ')]), ...common];
}

function getPhrases(status: number): readonly string[] {
  return [
    ...(CODES[status === 422 ? 400 : status] ?? []),
    createStatusProblem(status).title.toLowerCase(),
    ...(status < 500 ? CLIENT_CODES : SERVER_CODES),
    ...GENERAL_CODES,
  ];
}

/**
 * Converts phrases to codes in all styles, with and without "error" at the end. For example, `not found` becomes `not_found`, `NotFound` and `not_found_error`.
 */
function toCodes(phrases: readonly string[]): readonly string[] {
  const words = phrases.flatMap((phrase) => [phrase, `${phrase} error`]).map((phrase) => phrase.split(' '));
  return words.flatMap((each) => STYLES.map((style) => style(each)));
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
