import type { ErrorObject, ValidateFunction } from 'ajv';
import { formatPointer } from '../util/json-pointer.ts';
import { findJsonIssues, hasJsonIssues, type InexactInteger } from '../util/limits.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { suggestName } from '../util/names.ts';
import { JSON_TYPE } from '../util/request-target.ts';
import { limitList } from '../util/text.ts';
import { parseDeepName } from './deep-names.ts';
import { shorten } from './describe-error.ts';
import { type Document, getPropertyNames, getTarget, isNode, resolveNode, toNode } from './document.ts';
import { type Form, readForm } from './form-body.ts';
import { createUnknownValueError, describeUnknownValue, findUnknownValues } from './known-values.ts';
import { findMediaType, isFormBody, isParsedType, PATCH_TYPE, removeTypeParameters } from './media-types.ts';
import { createInexactError, isDeepShape, type Parameters, type ReadParameters, readParameters } from './parameters.ts';
import { createPattern, type Pattern } from './patterns/pattern.ts';
import type { Route } from './routes.ts';
import { ALL_PARTS, getPartTypes, getSchemaParts } from './schema-parts.ts';
import { createErrorObject, getUnknownName, type SchemaValidator } from './schema-validator.ts';
import { getPasswordNames } from './security.ts';
import { type ConvertTexts, readTexts, type TextRules } from './typed-values.ts';
import { MAX_LISTED, type RequestViolations, toViolations } from './violations.ts';

const NAME = 'accept-language';

/** The part of the header that is examined, in characters. Browsers send less than 200. */
const MAX_LENGTH = 1_000;

/** The maximum number of parts of a language tag that are examined: `zh-Hant-TW` has three. */
const MAX_PARTS = 4;

/**
 * Returns whether a schema allows one of the languages in the header `Accept-Language`.
 * Browsers send the languages of the user with each request (RFC 9110, section 12.5.4).
 * With `en-US,en;q=0.9`, the schema must allow `en-US` or `en`.
 * The value `*` stands for any language.
 * `isValid`: returns whether the schema of the parameter allows the header in `parameters`.
 */
function acceptsLanguage(parameters: Parameters, isValid: (parameters: Parameters) => boolean): boolean {
  const sent = parameters.header[NAME];
  const text = [sent].flat().join(',').slice(0, MAX_LENGTH);
  const toHeader = (language: string) => (Array.isArray(sent) ? [language] : language);
  for (const language of listLanguages(text)) {
    if (language === '*') return true;
    if (isValid({ ...parameters, header: { ...parameters.header, [NAME]: toHeader(language) } })) return true;
  }
  return false;
}

/**
 * Returns the languages in an `Accept-Language` header, and their shorter forms: `zh-Hant-TW`, `zh-Hant` and `zh`.
 * Leaves out languages with the weight 0.
 */
function* listLanguages(header: string): Generator<string> {
  for (const range of header.split(',')) {
    const [language = '', weight = ''] = range.split(';').map((part) => part.trim());
    if (/^q=0(\.0*)?$/i.test(weight)) continue;
    const parts = language.split('-').slice(0, MAX_PARTS);
    for (let length = parts.length; length > 0; length--) yield parts.slice(0, length).join('-');
  }
}

/** The parts of a request that are validated. */
export interface RequestToValidate {
  readonly path: string;
  /** The query parameters by name. The value is an array if the parameter was sent more than once. */
  readonly query: Readonly<Record<string, string | string[]>>;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The parsed body; undefined if there is no body, or if its media type isn't parsed. */
  readonly body: unknown;
  /** The media type of the body; undefined if there is no body. */
  readonly contentType?: string | undefined;
  /**
   * Whether the body is large.
   * The validation of a large body stops at the first error, because all errors together can need more memory than the
   * body.
   */
  readonly isLarge?: boolean | undefined;
  /** The integers in a JSON body that can't be represented. */
  readonly inexact?: readonly InexactInteger[] | undefined;
}

/**
 * The result of validating a request: the input of the handler, or violations.
 * `notes`: a message for each unknown query parameter or property that was ignored.
 */
export type RequestResult =
  | { readonly kind: 'call'; readonly input: OperationInput; readonly notes: readonly string[] }
  | ({ readonly kind: 'violations'; readonly input: OperationInput } & RequestViolations);

/** The input of an operation's handler. */
export interface OperationInput {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[]>>;
  readonly body: unknown;
}

/** The validators of a contract's requests. */
interface RequestValidation {
  readonly document: Document;
  /** Whether unknown query parameters and properties are violations. */
  readonly strict: boolean;
  /** Returns the parameter validators that openapi-backend compiles for an operation. */
  readonly getParameterValidators: (route: Route) => readonly ValidateFunction[];
  readonly validateJson: SchemaValidator;
  /** Returns an error if a value is not valid. Faster than the other validators, because nobody reads its errors. */
  readonly compareJson: SchemaValidator;
  /** Validates a large JSON body. Returns only the first error. */
  readonly validateLargeJson: SchemaValidator;
  /** Returns whether a value is valid against the schema at a JSON Pointer. */
  readonly isValid: TextRules['isValid'];
}

/** Validates a request. Returns the input of the handler, or violations. */
export function validateRequest(context: RequestValidation, route: Route, request: RequestToValidate): RequestResult {
  const credentials = route.security.length === 0 ? [] : findCredentialNames(route);
  const unknown = context.strict ? NO_NAMES : findUnknownNames(context.document, route, request, credentials);
  const unknownValues = route.knownValues.size === 0 ? [] : findUnknownValues(route.knownValues, request.query);
  const ignored = context.strict ? [] : unknownValues;
  const omitted = [...unknown.query, ...ignored.map(({ name }) => name), ...credentials];
  const query = omitted.length === 0 ? request.query : omitNames(request.query, omitted);
  const { contentType, inexact = NOTHING } = request;
  const form = contentType !== undefined && isFormBody(contentType) ? route.bodyMedia[contentType]?.schema : undefined;
  const { body, errors: unread } =
    form === undefined
      ? { body: request.body, errors: inexact.map((found) => createInexactError('/requestBody', found)) }
      : readFields(context, form, request.body);
  const input = { path: route.pathParameters(request.path), query, body };
  const errors = [
    ...unread,
    ...findErrors(context, route, { ...request, body }, input),
    ...(context.strict ? unknownValues.map(createUnknownValueError) : []),
  ];
  const notes = [
    ...(unknown.query.length + unknown.body.length === 0
      ? []
      : describeIgnored(context.document, { route, request, unknown }, errors)),
    ...ignored.map(describeUnknownValue),
  ];
  if (errors.length === 0) return { kind: 'call', input, notes };
  const { violations, detail } = toViolations(errors, getPasswordNames(context.document));
  return { kind: 'violations', input, violations, detail: notes.length === 0 ? detail : [detail, ...notes].join('; ') };
}

/** Parses the fields of a form as the schema at a JSON Pointer describes them. */
function readFields({ document, compareJson }: RequestValidation, schema: string, fields: unknown): Form {
  const rules = {
    document,
    isValid: (pointer: string, value: unknown) => compareJson(pointer, value).length === 0,
  };
  return readForm(document, schema, fields, (pointer, texts) => readTexts(rules, pointer, texts));
}

const NOTHING: readonly InexactInteger[] = [];

function findErrors(context: RequestValidation, route: Route, request: RequestToValidate, input: OperationInput) {
  // In strict mode, an unknown query parameter is an error.
  const hasParameters = route.parameters.length > 0 || Object.keys(input.query).length > 0;
  const readValue: ConvertTexts = (schema, texts) => readTexts(context, schema, texts);
  const form = route.parameters.find(({ isQueryString, shape }) => isQueryString && shape === 'fields')?.schema;
  const convert: ConvertTexts = (schema, texts) =>
    schema === form ? readForm(context.document, schema, texts[0], readValue).body : readValue(schema, texts);
  const { values: parameters, errors: unread } = hasParameters
    ? readParameters(convert, route, request.headers, { path: getPathTexts(route, request, input), query: input.query })
    : NO_PARAMETERS;
  const limits = hasJsonIssues(parameters) || hasJsonIssues(request.body) ? checkLimits(parameters, request.body) : [];
  if (limits.some(({ keyword }) => keyword === 'depth')) return limits;
  const validate = request.isLarge ? context.validateLargeJson : context.validateJson;
  return [
    ...unread,
    // The validators are called directly, because openapi-backend's validateRequest parses the body again, which takes
    // a fifth of the time of a POST.
    ...(hasParameters ? validateParameters(context.getParameterValidators(route), parameters) : []),
    ...validateBody({ document: context.document, validate }, route, request),
    ...limits,
  ];
}

/** Returns the texts of the path parameters. They are the parameters themselves if none has a prefix. */
function getPathTexts({ pathParameters, pathTexts }: Route, request: RequestToValidate, { path }: OperationInput) {
  return pathParameters === pathTexts ? path : pathTexts(request.path);
}

const NO_PARAMETERS: ReadParameters = { values: { path: {}, query: {}, header: {}, cookie: {} }, errors: [] };

/**
 * Returns the errors of the parameters.
 * A header `Accept-Language` is valid if the schema allows one of its languages.
 */
function validateParameters(validators: readonly ValidateFunction[], parameters: Parameters): readonly ErrorObject[] {
  const errors: ErrorObject[] = [];
  for (const validate of validators) if (!validate(parameters)) errors.push(...(validate.errors ?? []));
  if (!errors.some(isAboutLanguage)) return errors;
  const isAccepted = acceptsLanguage(
    parameters,
    (values) => !validators.some((validate) => !validate(values) && validate.errors?.some(isAboutLanguage)),
  );
  return isAccepted ? errors.filter((error) => !isAboutLanguage(error)) : errors;
}

function isAboutLanguage({ instancePath }: ErrorObject): boolean {
  return /^\/header\/accept-language(\/|$)/.test(instancePath);
}

/** Returns errors for values that are nested too deeply or are not finite, even if the schemas allow them. */
function checkLimits(parameters: object, body: unknown): readonly ErrorObject[] {
  return findJsonIssues({ ...parameters, requestBody: body }, 1).map(({ rule, path, value }) =>
    createErrorObject({ keyword: rule, instancePath: formatPointer(...path), data: value }),
  );
}

/** Returns the errors of the body. `validate`: the validator for the media type of the body. */
function validateBody({ document, validate }: BodyValidation, route: Route, { body, contentType }: RequestToValidate) {
  const { pointer, bodyMedia } = route;
  const [first] = Object.values(bodyMedia);
  if (!first) return [];
  const isSent = body !== undefined || (contentType !== undefined && !isParsedType(contentType));
  if (!isSent) {
    const { required } = toNode(getTarget(document, `${pointer}/requestBody`));
    const parentSchema = { properties: { requestBody: getTarget(document, first.schema ?? '') } };
    const params = { missingProperty: 'requestBody' };
    return required === true ? [createErrorObject({ keyword: 'required', params, parentSchema })] : [];
  }
  const schema = getBodySchema(route, contentType);
  if (schema === undefined || body === undefined) return [];
  if (Array.isArray(body) && isUndescribedPatch(document, schema, contentType)) return [];
  const errors = validate(schema, body);
  if (errors.length === 0) return errors;
  const resolveProperties = getPropertyResolver(document);
  // Changes the errors of this validation in place, because copies of tens of thousands of errors take too long.
  for (const error of errors) {
    error.parentSchema = resolveProperties(toNode(error.parentSchema));
    error.instancePath = `/requestBody${error.instancePath}`;
  }
  return errors;
}

/**
 * Returns whether a body that is a list is a JSON Patch (RFC 6902), although its schema is an object.
 * Many documents give the schema of the entry.
 */
function isUndescribedPatch(document: Document, schema: string, contentType = ''): boolean {
  if (removeTypeParameters(contentType) !== PATCH_TYPE) return false;
  const types = getPartTypes(getSchemaParts(document, schema, ALL_PARTS));
  return types.length > 0 && !types.includes('array');
}

type BodyValidation = { readonly document: Document; readonly validate: SchemaValidator };

/**
 * Creates a function that replaces the references in the `properties` of a schema by their targets in `document`.
 * Error messages can then describe these properties.
 * The results are cached.
 */
const getPropertyResolver = memoizeByObject((document: Document) =>
  memoizeByObject((schema: Record<string, unknown>) => {
    if (!isNode(schema.properties)) return schema;
    const properties = Object.entries(schema.properties).map(([name, value]) => [name, resolveNode(document, value)]);
    return { ...schema, properties: Object.fromEntries(properties) };
  }),
);

/** Names of query parameters and of body properties. */
interface Names {
  readonly query: readonly string[];
  readonly body: readonly string[];
}

const NO_NAMES: Names = { query: [], body: [] };

/**
 * Returns the names in a request that the contract does not define.
 * Decision: the server ignores them, because many front ends send such names.
 * `credentials`: the names of query parameters with credentials.
 */
function findUnknownNames(
  document: Document,
  route: Route,
  { query, body, contentType }: RequestToValidate,
  credentials: readonly string[],
): Names {
  const { knownNames: known, parameters } = route;
  const sent = Object.keys(query);
  if (sent.length === 0 && body === undefined) return NO_NAMES;
  const deep = parameters.filter(({ shape }) => isDeepShape(shape)).map(({ name }) => name);
  const isDeep = (name: string) => deep.length > 0 && deep.includes(parseDeepName(name)?.parameter ?? '');
  const knownInQuery = new Set([...known.query, ...credentials]);
  const takesOthers = parameters.some((parameter) => parameter.takesOthers);
  const schema = isNode(body) ? getBodySchema(route, contentType) : undefined;
  const { names, isOpen, patterns } = schema === undefined ? ANY_NAMES : getDescribedNames(document, schema);
  const isUnknown = (name: string) => !names.includes(name) && !patterns.some((pattern) => pattern.test(name));
  return {
    query: takesOthers ? [] : sent.filter((name) => !knownInQuery.has(name) && !isDeep(name)),
    body: isOpen ? [] : Object.keys(body as object).filter(isUnknown),
  };
}

/**
 * The names of the properties that a schema describes.
 * `isOpen`: whether it also describes all other properties: with `additionalProperties`, or because it names none.
 */
interface DescribedNames {
  readonly names: readonly string[];
  readonly patterns: readonly Pattern[];
  readonly isOpen: boolean;
}

const ANY_NAMES: DescribedNames = { names: [], patterns: [], isOpen: true };

/** The described names by the JSON Pointer of the schema. */
const describedNames = new WeakMap<Document, Map<string, DescribedNames>>();

/** Returns the names of the properties that the schema at a JSON Pointer describes. */
function getDescribedNames(document: Document, schema: string): DescribedNames {
  const bySchema = describedNames.get(document) ?? new Map<string, DescribedNames>();
  let described = bySchema.get(schema);
  if (!described) {
    const nodes = getSchemaParts(document, schema, ALL_PARTS).map(({ node }) => node);
    const names = getPropertyNames(document, schema);
    const patterns = nodes.flatMap((node) => Object.keys(toNode(node.patternProperties))).map(createPattern);
    const others = nodes.map(({ additionalProperties }) => additionalProperties);
    // A schema without properties, such as `type: object`, describes any object.
    const isAny = names.length === 0 && patterns.length === 0 && !others.includes(false);
    described = { names, patterns, isOpen: isAny || others.some((one) => isNode(one) || one === true) };
    describedNames.set(document, bySchema.set(schema, described));
  }
  return described;
}

/** Returns the JSON Pointer of the schema for the media type of a body. */
function getBodySchema({ bodyMedia }: Route, contentType = JSON_TYPE): string | undefined {
  const documented = findMediaType(Object.keys(bodyMedia), contentType);
  return documented === undefined ? undefined : bodyMedia[documented]?.schema;
}

/**
 * Returns the names of query parameters in which clients send credentials.
 * Leaves out those that the contract also documents as parameters.
 */
function findCredentialNames({ security, knownNames }: Route): readonly string[] {
  const names = security.flat().flatMap((credential) => (credential.in === 'query' ? credential.name : []));
  return names.filter((name) => !knownNames.query.includes(name));
}

/** Returns a query without the parameters of the given names. */
function omitNames(query: RequestToValidate['query'], names: readonly string[]): RequestToValidate['query'] {
  const omitted = new Set(names);
  return Object.fromEntries(Object.entries(query).filter(([name]) => !omitted.has(name)));
}

/**
 * Returns a message for each unknown name that was ignored, with a suggestion.
 * Leaves out a name that an error already reports.
 */
function describeIgnored(
  document: Document,
  { route, request, unknown }: { readonly route: Route; readonly request: RequestToValidate; readonly unknown: Names },
  errors: readonly ErrorObject[],
): readonly string[] {
  const { query, body } = unknown;
  const schema = getBodySchema(route, request.contentType);
  const names = schema === undefined ? [] : getDescribedNames(document, schema).names;
  const known: Names = { query: route.knownNames.query, body: names };
  const rejected = new Set(errors.map(getUnknownName));
  const ignored = [
    ...query.map((name) => ({ name, subject: `query parameter ${shorten(name)}`, names: known.query })),
    ...body.filter((name) => !rejected.has(name)).map((name) => ({ name, subject: shorten(name), names: known.body })),
  ];
  return limitList(
    ignored,
    MAX_LISTED,
    ({ name, subject, names }) => `${subject} is unknown and was ignored: ${suggestName(name, names)}`,
  );
}
