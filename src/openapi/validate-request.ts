import type { ErrorObject, ValidateFunction } from 'ajv';
import { findJsonIssues } from '../util/json-limits.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { limitList } from '../util/limit-list.ts';
import { suggestName } from '../util/similar-names.ts';
import { shorten } from './describe-error.ts';
import { type Document, getTarget, isNode, resolveNode, toNode } from './document.ts';
import { isDeepShape, parseDeepName, readParameters } from './parameters.ts';
import { FORM_TYPE, findMediaType, isParsedType } from './responses.ts';
import type { Route } from './routes.ts';
import type { SchemaValidator } from './schema-validator.ts';
import { MAX_LISTED, type RequestViolations, toViolations } from './violations.ts';

/** The parts of a request that are validated. */
export interface RequestToValidate {
  readonly path: string;
  /** A parameter that was sent more than once has an array. */
  readonly query: Readonly<Record<string, string | string[]>>;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Undefined if the request has no body, or one of a media type that isn't parsed. */
  readonly body: unknown;
  /** The media type of the body; undefined if there is no body. */
  readonly contentType?: string | undefined;
  /** Whether validation of the body stops at the first error: the errors of a large body can take more memory than the body. */
  readonly isLarge?: boolean | undefined;
}

/** The result of validating a request: the input of the operation's handler, or violations. */
export type RequestResult =
  | { readonly kind: 'call'; readonly input: OperationInput; readonly notes: readonly string[] }
  | ({ readonly kind: 'violations' } & RequestViolations);

/** The input of any operation. */
export interface OperationInput {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[]>>;
  readonly body: unknown;
}

/** What the requests of a contract are validated with. */
export interface RequestValidation {
  readonly document: Document;
  /** Whether unknown query parameters and properties are violations. */
  readonly strict: boolean;
  /** Returns the validators that openapi-backend compiled for an operation. */
  readonly getParameterValidators: (route: Route) => readonly ValidateFunction[];
  readonly validateJson: SchemaValidator;
  /** Stops at the first error. */
  readonly validateLargeJson: SchemaValidator;
  /** Converts strings to the types of the schema. */
  readonly validateForm: SchemaValidator;
}

/** Validates a request to an operation. Returns its input or its violations. */
export function validateRequest(context: RequestValidation, route: Route, request: RequestToValidate): RequestResult {
  const { query, notes } = context.strict ? { query: request.query, notes: [] } : ignoreUnknown(route, request);
  const input = { path: route.pathParameters(request.path), query, body: request.body };
  const errors = findErrors(context, route, request, input);
  if (errors.length === 0) return { kind: 'call', input, notes };
  const { violations, detail } = toViolations(errors);
  return { kind: 'violations', violations, detail: [detail, ...notes].join('; ') };
}

function findErrors(
  context: RequestValidation,
  route: Route,
  request: RequestToValidate,
  input: OperationInput,
): readonly ErrorObject[] {
  const { document } = context;
  const isForm = request.contentType === FORM_TYPE;
  const parameters = readParameters(route, request.headers, input);
  const limits = checkLimits(parameters, request.body);
  if (limits.some(({ keyword }) => keyword === 'depth')) return limits;
  const validateJson = request.isLarge ? context.validateLargeJson : context.validateJson;
  const parameterValidators = context.getParameterValidators(route);
  return [
    // The validators are called directly: openapi-backend's own way parses bodies again and costs a fifth of a POST.
    ...parameterValidators.flatMap((validate) => (validate(parameters) ? [] : (validate.errors ?? []))),
    ...validateBody({ document, validate: isForm ? context.validateForm : validateJson }, route, request),
    ...limits,
    // Validation has turned strings into numbers.
    ...checkLimits(parameters, isForm ? request.body : undefined),
  ];
}

/** Returns the errors of values that the server can't process, whatever the schemas allow. */
function checkLimits(parameters: object, body: unknown): readonly ErrorObject[] {
  return findJsonIssues({ ...parameters, requestBody: body }, 1).map(({ rule, path, value }) => ({
    keyword: rule,
    instancePath: formatPointer(...path),
    schemaPath: '',
    params: {},
    data: value,
    parentSchema: {},
  }));
}

function validateBody(
  { document, validate }: { readonly document: Document; readonly validate: SchemaValidator },
  { pointer, bodyMedia }: Route,
  { body, contentType }: RequestToValidate,
): readonly ErrorObject[] {
  const [first] = Object.values(bodyMedia);
  if (!first) return [];
  const isSent = body !== undefined || (contentType !== undefined && !isParsedType(contentType));
  if (!isSent) {
    const { required } = toNode(getTarget(document, `${pointer}/requestBody`));
    return required === true ? [createMissingBodyError(getTarget(document, first.schema ?? ''))] : [];
  }
  const documented = findMediaType(Object.keys(bodyMedia), contentType ?? 'application/json');
  const schema = documented === undefined ? undefined : bodyMedia[documented]?.schema;
  if (schema === undefined || body === undefined) return [];
  return validate(schema, body).map((error) => ({
    ...error,
    parentSchema: resolveProperties(document, error.parentSchema),
    instancePath: `/requestBody${error.instancePath}`,
  }));
}

/** Returns a schema with its properties resolved: a remedy describes them. */
function resolveProperties(document: Document, schema: unknown): Record<string, unknown> {
  if (!isNode(schema) || !isNode(schema.properties)) return (schema ?? {}) as Record<string, unknown>;
  const properties = Object.entries(schema.properties).map(([name, value]) => [name, resolveNode(document, value)]);
  return { ...schema, properties: Object.fromEntries(properties) };
}

function createMissingBodyError(schema: unknown): ErrorObject {
  return {
    keyword: 'required',
    instancePath: '',
    schemaPath: '#/required',
    params: { missingProperty: 'requestBody' },
    parentSchema: { properties: { requestBody: schema } },
  };
}

/**
 * Returns the query without unknown parameters, and a note for each unknown name in query and body. Decision: unknown names are ignored, since front
 * ends send some.
 */
function ignoreUnknown({ knownNames: known, parameters }: Route, { query, body }: RequestToValidate) {
  const isDeep = (name: string) =>
    parameters.some((parameter) => isDeepShape(parameter.shape) && parameter.name === parseDeepName(name)?.parameter);
  const parameterNames = Object.keys(query).filter((name) => !known.query.includes(name) && !isDeep(name));
  const propertyNames = isNode(body) ? Object.keys(body).filter((name) => !known.body.includes(name)) : [];
  const unknown = [
    ...parameterNames.map((name) => ({ name, subject: `query parameter ${shorten(name)}`, known: known.query })),
    ...propertyNames.map((name) => ({ name, subject: shorten(name), known: known.body })),
  ];
  const knownQuery = () => Object.fromEntries(Object.entries(query).filter(([name]) => !parameterNames.includes(name)));
  return {
    query: parameterNames.length === 0 ? query : knownQuery(),
    notes: limitList(
      unknown,
      MAX_LISTED,
      (each) => `${each.subject} is unknown and was ignored: ${suggestName(each.name, each.known)}`,
    ),
  };
}
