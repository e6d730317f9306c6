import type { ErrorObject, ValidateFunction } from 'ajv';
import { findJsonIssues, hasJsonIssues } from '../util/json-limits.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { limitList } from '../util/limit-list.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { suggestName } from '../util/similar-names.ts';
import { acceptsLanguage } from './accept-language.ts';
import { shorten } from './describe-error.ts';
import { type Document, getTarget, isNode, resolveNode, toNode } from './document.ts';
import { readForm } from './form-body.ts';
import { createUnknownValueError, describeUnknownValue, findUnknownValues } from './known-values.ts';
import { findMediaType, isFormBody, isParsedType } from './media-types.ts';
import { isDeepShape, type Parameters, parseDeepName, readParameters } from './parameters.ts';
import type { Route } from './routes.ts';
import { createErrorObject, getUnknownName, type SchemaValidator } from './schema-validator.ts';
import { MAX_LISTED, type RequestViolations, toViolations } from './violations.ts';

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
  /** Whether the body is large. The validation of a large body stops at the first error, because all errors together can need more memory than the body. */
  readonly isLarge?: boolean | undefined;
}

/**
 * The result of validating a request: the input of the handler, or violations. `notes`: a message for each unknown query parameter or property that was
 * ignored.
 */
export type RequestResult =
  | { readonly kind: 'call'; readonly input: OperationInput; readonly notes: readonly string[] }
  | ({ readonly kind: 'violations' } & RequestViolations);

/** The input of an operation's handler. */
export interface OperationInput {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[]>>;
  readonly body: unknown;
}

/** The validators of a contract's requests. */
export interface RequestValidation {
  readonly document: Document;
  /** Whether unknown query parameters and properties are violations. */
  readonly strict: boolean;
  /** Returns the parameter validators that openapi-backend compiles for an operation. */
  readonly getParameterValidators: (route: Route) => readonly ValidateFunction[];
  readonly validateJson: SchemaValidator;
  /** Validates a large JSON body. Returns only the first error. */
  readonly validateLargeJson: SchemaValidator;
  /** Validates a form. Converts its strings to the types of the schema. */
  readonly validateForm: SchemaValidator;
}

/** Validates a request. Returns the input of the handler, or violations. */
export function validateRequest(context: RequestValidation, route: Route, request: RequestToValidate): RequestResult {
  const unknown = context.strict ? NO_NAMES : findUnknownNames(route, request);
  const unknownValues = findUnknownValues(route.knownValues, request.query);
  const ignored = context.strict ? [] : unknownValues;
  const query = omitNames(request.query, [
    ...unknown.query,
    ...ignored.map(({ name }) => name),
    ...findCredentialNames(route),
  ]);
  const body = readBody(context.document, route, request);
  const input = { path: route.pathParameters(request.path), query, body };
  const errors = [
    ...findErrors(context, route, { ...request, body }, input),
    ...(context.strict ? unknownValues.map(createUnknownValueError) : []),
  ];
  const notes = [...describeIgnored(route, unknown, errors), ...ignored.map(describeUnknownValue)];
  if (errors.length === 0) return { kind: 'call', input, notes };
  const { violations, detail } = toViolations(errors);
  return { kind: 'violations', violations, detail: notes.length === 0 ? detail : [detail, ...notes].join('; ') };
}

/** Returns the body of a request. If the body is a form, its fields are parsed as the contract describes them. */
function readBody(document: Document, { bodyMedia }: Route, { body, contentType }: RequestToValidate): unknown {
  if (contentType === undefined || !isFormBody(contentType)) return body;
  const schema = bodyMedia[contentType]?.schema;
  return schema === undefined ? body : readForm(document, schema, body);
}

function findErrors(context: RequestValidation, route: Route, request: RequestToValidate, input: OperationInput) {
  const isForm = request.contentType !== undefined && isFormBody(request.contentType);
  const parameters = readParameters(route, request.headers, input);
  const limits = checkLimits(parameters, request.body);
  if (limits.some(({ keyword }) => keyword === 'depth')) return limits;
  const validateJson = request.isLarge ? context.validateLargeJson : context.validateJson;
  const validate = isForm ? context.validateForm : validateJson;
  return [
    // The validators are called directly, because openapi-backend's validateRequest parses the body again, which takes a fifth of the time of a POST.
    ...validateParameters(context.getParameterValidators(route), parameters),
    ...validateBody({ document: context.document, validate }, route, request),
    ...limits,
    // Validation has converted strings to numbers, which can exceed the limits.
    ...checkLimits(parameters, isForm ? request.body : undefined),
  ];
}

/** Returns the errors of the parameters. A header `Accept-Language` is valid if the schema allows one of its languages. */
function validateParameters(validators: readonly ValidateFunction[], parameters: Parameters): readonly ErrorObject[] {
  const validate = (values: Parameters) =>
    validators.filter((check) => !check(values)).flatMap(({ errors }) => errors ?? []);
  const isAboutLanguage = ({ instancePath }: ErrorObject) => /^\/header\/accept-language(\/|$)/.test(instancePath);
  const errors = validate(parameters);
  const isAccepted =
    errors.some(isAboutLanguage) && acceptsLanguage(parameters, (values) => !validate(values).some(isAboutLanguage));
  return isAccepted ? errors.filter((error) => !isAboutLanguage(error)) : errors;
}

/** Returns errors for values that are nested too deeply or are not finite, even if the schemas allow them. */
function checkLimits(parameters: object, body: unknown): readonly ErrorObject[] {
  if (!hasJsonIssues(parameters) && !hasJsonIssues(body)) return [];
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
  const documented = findMediaType(Object.keys(bodyMedia), contentType ?? 'application/json');
  const schema = documented === undefined ? undefined : bodyMedia[documented]?.schema;
  if (schema === undefined || body === undefined) return [];
  const resolveProperties = getPropertyResolver(document);
  return validate(schema, body).map((error) => ({
    ...error,
    parentSchema: resolveProperties(toNode(error.parentSchema)),
    instancePath: `/requestBody${error.instancePath}`,
  }));
}

type BodyValidation = { readonly document: Document; readonly validate: SchemaValidator };

/**
 * Creates a function that replaces the references in the `properties` of a schema by their targets in `document`. Error messages can then describe these
 * properties. The results are cached.
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

/** Returns the names in a request that the contract does not define. Decision: the server ignores them, because many front ends send such names. */
function findUnknownNames(route: Route, { query, body }: RequestToValidate): Names {
  const { knownNames: known, parameters } = route;
  const isCredential = (name: string) => findCredentialNames(route).includes(name);
  const isDeep = (name: string) =>
    parameters.some((parameter) => isDeepShape(parameter.shape) && parameter.name === parseDeepName(name)?.parameter);
  return {
    query: Object.keys(query).filter((name) => !known.query.includes(name) && !isDeep(name) && !isCredential(name)),
    body: isNode(body) ? Object.keys(body).filter((name) => !known.body.includes(name)) : [],
  };
}

/** Returns the names of query parameters in which clients send credentials. Leaves out those that the contract also documents as parameters. */
function findCredentialNames({ security, knownNames }: Route): readonly string[] {
  if (security.length === 0) return [];
  const names = security.flat().flatMap((credential) => (credential.in === 'query' ? credential.name : []));
  return names.filter((name) => !knownNames.query.includes(name));
}

/** Returns a query without the parameters of the given names. */
function omitNames(query: RequestToValidate['query'], names: readonly string[]): RequestToValidate['query'] {
  if (names.length === 0) return query;
  return Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)));
}

/** Returns a message for each unknown name that was ignored, with a suggestion. Leaves out a name that an error already reports. */
function describeIgnored(
  { knownNames: known }: Route,
  { query, body }: Names,
  errors: readonly ErrorObject[],
): readonly string[] {
  if (query.length + body.length === 0) return [];
  const rejected = errors.map(getUnknownName);
  const ignored = [
    ...query.map((name) => ({ name, subject: `query parameter ${shorten(name)}`, names: known.query })),
    ...body
      .filter((name) => !rejected.includes(name))
      .map((name) => ({ name, subject: shorten(name), names: known.body })),
  ];
  return limitList(
    ignored,
    MAX_LISTED,
    ({ name, subject, names }) => `${subject} is unknown and was ignored: ${suggestName(name, names)}`,
  );
}
