import type { Contract } from '../openapi/contract.ts';
import { toNode } from '../openapi/document.ts';
import {
  type DocumentedHeader,
  type DocumentedMedia,
  type Example,
  findErrorResponse,
  isJsonType,
  type ResponseToVerify,
} from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { chooseMediaType } from './choose-response.ts';
import { type DescribedPart, Description, describeError } from './error-body.ts';
import type { RequestError } from './error-fields.ts';
import { PROBLEM_TYPE, toContentType, toText } from './media-types.ts';

/** An error of a request, and the problem document (RFC 9457) that describes it. */
export interface ErrorToDescribe {
  readonly error: RequestError;
  readonly document: object;
  /** The `Accept` header of the request. */
  readonly accept: string;
}

/** The functions of the mock that error responses need. */
interface MockParts {
  /** Generates a valid value with all optional properties for the schema at a JSON Pointer. Throws an error if no valid value is found. */
  generate(schema: string, options: { readonly seed: number; readonly usesExamples: boolean }): unknown;
  /** Returns the documented headers that have an example, and the required headers. Throws an error if no valid value is found for a required header. */
  createHeaders(headers: readonly DocumentedHeader[], status: number): ResponseToVerify['headers'];
}

/** Creates the body of a response to an error. Returns undefined if the body is the problem document. */
type CreateBody = (described: ErrorToDescribe) => unknown;

/** The number of bodies that are generated to find one that can describe an error. If a schema has several alternatives, each body has a random one. */
const MAX_GENERATED = 8;

/** The media types that allow a problem document. */
const PROBLEM_TYPES = [PROBLEM_TYPE, 'application/*', '*/*'];

/**
 * Creates the function that responds to an error of a request as the contract documents it for the operation: with the documented status, media type and
 * fields. The function returns undefined if the problem document of the error is the right response: if the contract documents problem documents or no body,
 * and if no valid body can be made.
 */
export function createErrorResponder({ isValid }: Pick<Contract, 'isValid'>, parts: MockParts) {
  const forms = new WeakMap<DocumentedMedia, { readonly createBody: CreateBody | undefined }>();
  const getForm = (media: DocumentedMedia, create: () => CreateBody | undefined) => {
    const form = forms.get(media) ?? { createBody: create() };
    forms.set(media, form);
    return form;
  };
  return ({ responses }: Route, described: ErrorToDescribe): ResponseToVerify | undefined => {
    const response = findErrorResponse(responses, described.error.status);
    if (!response) return undefined;
    const type = PROBLEM_TYPE in response.media ? PROBLEM_TYPE : (chooseMediaType(response, described.accept) ?? '');
    const status = /^\d+$/.test(response.name) ? Number(response.name) : described.error.status;
    const own = setStatus(described, status);
    const media = response.media[type];
    const { createBody } = media ? getForm(media, () => createForm({ isValid, ...parts }, type, media, own)) : NO_FORM;
    const body = createBody?.(own);
    const headers = tryOrUndefined(() => parts.createHeaders(response.headers, status)) ?? {};
    if (body === undefined) {
      const isProblem = own === described && !response.headers.some(({ isRequired }) => isRequired);
      return isProblem ? undefined : createProblemResponse(own, headers);
    }
    const contentType = toContentType(type);
    return {
      status,
      headers: { ...headers, 'Content-Type': contentType },
      body: isJsonType(contentType) ? body : toText(contentType, body),
    };
  };
}

const NO_FORM = { createBody: undefined };

/** Returns an error with another status, or the same error if it has the status. */
function setStatus(described: ErrorToDescribe, status: number): ErrorToDescribe {
  const { error, document } = described;
  if (error.status === status) return described;
  return { ...described, error: { ...error, status }, document: { ...document, status } };
}

function createProblemResponse(
  { error: { status }, document: body }: ErrorToDescribe,
  headers: ResponseToVerify['headers'],
): ResponseToVerify {
  return { status, headers: { ...headers, 'Content-Type': PROBLEM_TYPE }, body };
}

/** Returns the function that creates the bodies for a media type; undefined if the body is a problem document, or if no valid body is found. */
function createForm(
  { isValid, generate }: Pick<Contract, 'isValid'> & MockParts,
  type: string,
  { schema, examples }: DocumentedMedia,
  { error, document }: ErrorToDescribe,
): CreateBody | undefined {
  const isValidBody = (value: unknown) => schema === undefined || isValid(schema, value);
  if (PROBLEM_TYPES.includes(type) && isValidBody(document)) return undefined;
  const createDocument: CreateBody = (described) => described.document;
  if (schema === undefined) return isPlainText(type) ? (described) => described.error.detail : createDocument;
  const generateBody = (seed: number) => tryOrUndefined(() => generate(schema, { seed, usesExamples: seed === 0 }));
  const generators = [...Array(MAX_GENERATED).keys()].map((seed) => () => generateBody(seed));
  const best = findBestBase([...examples.map(toBase), ...generators], isValidBody, error);
  const describe: CreateBody = (described) => describeError(best?.base, isValidBody, described.error).value;
  if (PROBLEM_TYPES.includes(type))
    return best && ((described) => completeProblem(describe(described), isValidBody, described));
  if (best?.description !== Description.message && isJsonType(type) && isValidBody(document)) return createDocument;
  return best && describe;
}

function toBase({ value }: Example): () => unknown {
  return () => value;
}

/** Adds fields that only the schema requires to a problem document. Returns undefined if the values of the problem document are invalid. */
function completeProblem(body: unknown, isValid: (body: unknown) => boolean, { document }: ErrorToDescribe): unknown {
  const names = Object.keys(toNode(body));
  const documented = Object.fromEntries(Object.entries(document).filter(([name]) => names.includes(name)));
  return [
    { ...toNode(body), ...document },
    { ...toNode(body), ...documented },
  ].find(isValid);
}

/** Returns whether a media type is text without a structure. */
function isPlainText(type: string): boolean {
  return /^text\/(?!xml)/.test(type);
}

/** Returns the valid body that describes an error best. Stops at the first body with the message of the error. */
function findBestBase(bases: readonly (() => unknown)[], isValid: (body: unknown) => boolean, error: RequestError) {
  let best: { readonly base: unknown; readonly description: DescribedPart['description'] } | undefined;
  for (const getBase of bases) {
    const base = getBase();
    if (!isValid(base)) continue;
    const { description } = describeError(base, isValid, error);
    if (!best || description > best.description) best = { base, description };
    if (description === Description.message) break;
  }
  return best;
}
