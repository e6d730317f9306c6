import type { Contract } from '../openapi/contract.ts';
import { getTarget, isNode } from '../openapi/document.ts';
import { allowsJson, isJsonType } from '../openapi/media-types.ts';
import {
  type DocumentedMedia,
  type DocumentedResponse,
  type Example,
  findErrorResponse,
  type ResponseToVerify,
} from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { findDocumentedCodes } from './documented-codes.ts';
import { createAlternatives } from './error-alternatives.ts';
import { type DescribedPart, Description, describeError, describeProblem } from './error-body.ts';
import { createStatusError, type DocumentedCodes, type RequestError } from './error-fields.ts';
import { chooseMediaType, createVary, formatBody, PROBLEM_TYPE, toContentType } from './media-types.ts';
import { createErrorResponse, getMethodsAtPath } from './status-problem.ts';

/** An error of a request, and the problem document (RFC 9457) that describes it. */
interface ErrorToDescribe {
  readonly error: RequestError;
  readonly document: object;
  /** Statuses that documents use instead of that of the error, the best first. */
  readonly alternatives?: readonly number[] | undefined;
  /** The `Accept` header of the request. */
  readonly accept: string;
  /**
   * Returns the names of the request examples that equal the request.
   * A response example with one of these names is the body.
   */
  readonly getExampleNames?: (() => readonly string[]) | undefined;
}

/** The functions of the mock that error responses need. */
interface MockParts {
  /**
   * Generates a valid value with all optional properties for the schema at a JSON Pointer.
   * Throws an error if no valid value is found.
   */
  generate(schema: string, options: { readonly seed: number; readonly usesExamples: boolean }): unknown;
  /** Returns the documented headers. Throws an error if no valid value is found for a required header. */
  createHeaders(route: Route, response: DocumentedResponse, status: number): ResponseToVerify['headers'];
}

/**
 * Creates the body of an error response.
 * Returns undefined if the problem document of the error is used as the body.
 */
type CreateBody = (described: ErrorToDescribe) => unknown;

/**
 * The maximum number of attempts to generate a body whose fields can describe an error.
 * Each attempt chooses a random alternative of a `oneOf` or `anyOf`.
 */
const MAX_GENERATED = 8;

/** The media types that allow a problem document. */
const PROBLEM_TYPES = [PROBLEM_TYPE, 'application/*', '*/*'];

/** Returns functions that create error responses with the fields that the contract documents. */
export function createErrorResponder(
  contract: Pick<Contract, 'isValid' | 'getErrors' | 'getErrorsOfComplete' | 'routes' | 'normalized'>,
  parts: MockParts,
) {
  const forms = new WeakMap<DocumentedMedia, { readonly createBody: CreateBody | undefined }>();
  const getForm = (media: DocumentedMedia, create: () => CreateBody | undefined) => {
    const form = forms.get(media) ?? { createBody: create() };
    forms.set(media, form);
    return form;
  };
  const findCommonMedia = createFormFinder(contract);
  /**
   * Creates an error response as the contract documents it for the operation: with the documented status, media type
   * and fields.
   * If the contract documents no body for it, the response has the form of its other errors.
   * Returns undefined if the body must be the problem document of the error.
   * This is the case if the contract documents a problem document, several forms or none, or if no valid body is found.
   * `route`: undefined if no operation belongs to the request.
   */
  const createDocumented = (route: Route | undefined, described: ErrorToDescribe): ResponseToVerify | undefined => {
    const response = route && findErrorResponse(route.responses, described.error.status, described.alternatives);
    const status = response && /^\d+$/.test(response.name) ? Number(response.name) : described.error.status;
    const own = setStatus(described, status);
    // Most forms of errors have no code, and then it is not searched for.
    let found: { readonly codes: DocumentedCodes | undefined } | undefined;
    const getDocumented = () => {
      found ??= { codes: findDocumentedCodes(contract, response, own.error) };
      return found.codes;
    };
    const error: RequestError = { ...own.error, getDocumented };
    const types = response && Object.keys(response.media).length > 0 ? response.media : (findCommonMedia(status) ?? {});
    const type = chooseErrorType(types, described.accept) ?? '';
    const media = types[type];
    const { createBody } = media ? getForm(media, () => createForm({ contract, ...parts }, type, media, own)) : NO_FORM;
    const example = media && findExample(media, described);
    const body = example ? example.value : createBody?.({ ...own, error });
    const isProblem =
      body === undefined && own === described && !response?.headers.some(({ isRequired }) => isRequired);
    if (isProblem) return undefined;
    const headers =
      (route && response && tryOrUndefined(() => parts.createHeaders(route, response, status))) ?? NO_HEADERS;
    if (body === undefined) return createProblemResponse(own, headers);
    const contentType = toContentType(type);
    const vary = Object.keys(types).length > 1 ? createVary(headers) : {};
    return {
      status,
      headers: { ...headers, 'Content-Type': contentType, ...vary },
      body: formatBody(contentType, body, { contract, schema: media?.schema }),
    };
  };
  /**
   * Creates a response with an error status that the contract does not document.
   * The body has the fields that the contract documents for other errors.
   * `accept`: the `Accept` header.
   */
  const createUndocumented = (route: Route, status: number, accept: string): ResponseToVerify => {
    const problem = createErrorResponse(contract, getMethodsAtPath(contract, route), status);
    const described = { error: createStatusError(status), document: problem.body as object, accept };
    const { type, media } = findErrorMedia([route, ...contract.routes], accept) ?? {};
    if (!media || type === undefined) return problem;
    const { createBody } = getForm(media, () => createForm({ contract, ...parts }, type, media, described));
    const body = createBody?.(described);
    const headers = { ...problem.headers, 'Content-Type': toContentType(type) };
    return body === undefined ? problem : { status, headers, body };
  };
  return { createDocumented, createUndocumented };
}

/**
 * Returns the media type of an error: that of problem documents if it is documented, else one that the client accepts.
 */
function chooseErrorType(media: DocumentedResponse['media'], accept: string): string | undefined {
  return PROBLEM_TYPE in media ? PROBLEM_TYPE : chooseMediaType(Object.keys(media), accept);
}

/** Returns the JSON media type of the first error response that the operations document; undefined if there is none. */
function findErrorMedia(routes: readonly Route[], accept: string) {
  const errors = routes.flatMap(({ responses }) => responses.filter(({ name }) => /^[45]/.test(name)));
  const response = errors.find(({ media }) => Object.keys(media).some(allowsJson));
  const type = response && chooseErrorType(response.media, accept);
  if (!response || type === undefined || !allowsJson(type)) return undefined;
  return { type, media: response.media[type] };
}

/** Returns the response example that has the name of a request example that equals the request. */
function findExample({ examples }: DocumentedMedia, { getExampleNames }: ErrorToDescribe): Example | undefined {
  const named = getExampleNames ? examples.filter(({ name }) => name !== undefined) : [];
  if (named.length === 0) return undefined;
  const names = getExampleNames?.() ?? [];
  return named.find(({ name = '' }) => names.includes(name));
}

const NO_FORM = { createBody: undefined };

const NO_HEADERS: ResponseToVerify['headers'] = {};

/** The statuses of requests that violate the contract. Their errors often have a form of their own. */
const VALIDATION_STATUSES = [400, 422];

/** Returns whether a keyword of a schema does not restrict its values. A property can have the same name. */
function isAnnotation(name: string, value: unknown): boolean {
  return /^examples?$/.test(name) || (/^(?:title|description)$/.test(name) && typeof value === 'string');
}

/**
 * Creates a function that returns the media types and schemas that all documented errors with a status have, or else
 * all errors of the contract.
 * The function returns undefined if the errors have different forms, or if only 422 is documented: that form is often
 * one of violations only.
 */
function createFormFinder({ routes, normalized }: Pick<Contract, 'routes' | 'normalized'>) {
  const errors = routes.flatMap(({ responses }) =>
    responses.filter(
      ({ name, media }) =>
        (/^[45]/.test(name) || (name === 'default' && responses.length > 1)) && Object.keys(media).length > 0,
    ),
  );
  const getKey = ({ media }: DocumentedResponse) => {
    const schemas = Object.entries(media).map(([type, { schema = '' }]) => [type, getTarget(normalized, schema)]);
    return JSON.stringify(schemas, (name, value) => (isAnnotation(name, value) ? undefined : value));
  };
  const findOnly = (responses: readonly DocumentedResponse[]) => {
    const [first] = responses;
    const key = first && getKey(first);
    return responses.every((response) => getKey(response) === key) ? first?.media : undefined;
  };
  const find = (status: number) => {
    const omit = (statuses: readonly number[]) => errors.filter(({ name }) => !statuses.includes(Number(name)));
    const others = VALIDATION_STATUSES.includes(status) ? [errors] : [omit(VALIDATION_STATUSES), omit([422])];
    const same = errors.filter(({ name }) => name === String(status));
    return [same, ...others].map(findOnly).find((media) => media !== undefined);
  };
  const found = new Map<number, DocumentedResponse['media'] | undefined>();
  return (status: number) => {
    if (!found.has(status)) found.set(status, find(status));
    return found.get(status);
  };
}

/** Returns a copy of an error with another status. Returns the error itself if it already has this status. */
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

/**
 * Creates a function that creates error bodies of one media type.
 * Returns undefined if the problem document of the error is the body, or if no valid body is found.
 */
function createForm(
  {
    contract,
    generate,
  }: MockParts & { readonly contract: Pick<Contract, 'isValid' | 'getErrorsOfComplete' | 'normalized'> },
  type: string,
  { schema, examples }: DocumentedMedia,
  { error, document }: ErrorToDescribe,
): CreateBody | undefined {
  const isComplete = (value: unknown) =>
    schema === undefined || contract.getErrorsOfComplete(schema, value).length === 0;
  const isPossible = (value: unknown) => schema === undefined || contract.isValid(schema, value);
  const isProblem = PROBLEM_TYPES.includes(type);
  const createDocument: CreateBody = (described) => described.document;
  if (schema === undefined && isProblem) return undefined;
  if (schema === undefined) return isPlainText(type) ? (described) => described.error.detail : createDocument;
  const generateBody = (seed: number) => tryOrUndefined(() => generate(schema, { seed, usesExamples: seed === 0 }));
  const generators = [...Array(MAX_GENERATED).keys()].map((seed) => () => generateBody(seed));
  const bases = [...examples.map(toBase), ...generators];
  // An example that lacks a required property makes bodies without this property possible for all operations.
  const complete = findBestBase(bases, isComplete, error);
  const isValidBody = complete ? isComplete : isPossible;
  const best = complete ?? findBestBase(bases, isPossible, error);
  const generateFor = (part: string) => tryOrUndefined(() => generate(part, { seed: 0, usesExamples: true }));
  const createFitting = createAlternatives(contract, schema, generateFor, isValidBody);
  const describe: CreateBody = ({ error: own }) =>
    createFitting?.(own) ?? describeError(best?.base, isValidBody, own).value;
  // A media range such as `*/*` allows a problem document, but also another form of errors.
  if (type === PROBLEM_TYPE || (isProblem && isProblemForm(best?.base)))
    return best && createProblemForm(best.base, isValidBody);
  if (best?.description !== Description.message && isJsonType(type) && isValidBody(document)) return createDocument;
  return best && describe;
}

/** Returns whether an error body has a field that only problem documents have. */
function isProblemForm(base: unknown): boolean {
  return !isNode(base) || Object.keys(base).length === 0 || 'title' in base || 'instance' in base;
}

function toBase({ value }: Example): () => unknown {
  return () => value;
}

/**
 * Creates a function that creates problem documents with the fields of `base`, a valid error body.
 * Returns undefined if the problem document of the error is the body.
 */
function createProblemForm(base: unknown, isValid: (value: unknown) => boolean): CreateBody {
  return ({ error, document }) => {
    const problem = describeProblem(base, isValid, error, document);
    return problem === document ? undefined : problem;
  };
}

/** Returns whether a media type is text without a structure. */
function isPlainText(type: string): boolean {
  return /^text\/(?!xml)/.test(type);
}

/**
 * Returns the valid body whose fields can describe an error best.
 * Stops at the first body with a field for the message of the error.
 */
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
