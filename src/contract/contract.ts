import type { ErrorObject, ValidateFunction } from 'ajv';
import { type Document, OpenAPIBackend } from 'openapi-backend';
import { type Breach, breachesOf, type PlainAnswer } from './answers.ts';
import { closed } from './closed.ts';
import { type DataCheck, dataCheck } from './data-check.ts';
import { inOneDialect } from './dialect.ts';
import { at, isNode, obstructed, parseDocument, pointerOf, readContract, settledPointer } from './document.ts';
import { deepName, type Parameter, shaped } from './parameters.ts';
import { leaveOut } from './remedy.ts';
import { FORM_TYPE, isRead, mediaTypeFor } from './responses.ts';
import { createRouting, patternOf, type Route, type Routed, routesOf } from './routes.ts';
import { ajvOptions, type SchemaJudge, schemaJudge, viewOf, withFormats } from './schemas.ts';
import { obstaclesIn, withOperationIds } from './structure.ts';
import { type Findings, findingsOf, firstOf, shortened } from './violations.ts';

/** What of a request the contract judges, beside its method. */
export interface PlainRequest {
  readonly path: string;
  /** A parameter that was sent more than once has a list. */
  readonly query: Readonly<Record<string, string | string[]>>;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Undefined where none was sent, or one of a media type that isn't read. */
  readonly body: unknown;
  /** The media type of the body, where one was sent. */
  readonly contentType?: string | undefined;
}

/** What the contract makes of a request: what to hand to the operation's handler, or what is wrong with it. */
export type Received =
  | { readonly kind: 'call'; readonly input: RawInput; readonly notes: readonly string[] }
  | ({ readonly kind: 'violations' } & Findings);

/** An `Input` of whichever operation it is. */
export interface RawInput {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[]>>;
  readonly body: unknown;
}

/** The contract, ready to judge. */
export interface Contract {
  /** The file as it was loaded: where it is, its text, and what it says. */
  readonly path: string;
  readonly text: string;
  readonly document: Document;
  /** The same with its schemas as ajv has them, and an id for every operation. */
  readonly plain: Document;
  readonly routes: readonly Route[];
  /** What a method and a path (undecoded, without its query) lead to. */
  route(method: string, path: string): Routed;
  /** What a request to an operation holds, or every way in which it breaks the contract. */
  receive(route: Route, request: PlainRequest): Received;
  /** How an answer breaks the contract; empty where it keeps it. With `closed` no properties are allowed but the contract's own. */
  verify(route: Route, answer: PlainAnswer, options: { readonly closed: boolean }): readonly Breach[];
  /** Whether a value holds by the schema at a pointer. */
  holds(schema: string, value: unknown): boolean;
  /** What is wrong with a value by a schema of the contract, in which no properties are allowed but its own. */
  checkData: DataCheck;
  /** Makes what the first request to an operation would else wait for; some 10 ms. */
  warmUp(route: Route): void;
}

/** Which document, and whether what it doesn't know is refused or only noted. */
export interface ContractOptions {
  readonly path: string;
  readonly strict: boolean;
}

const loaded = new Map<string, { readonly text: string; readonly contract: Promise<Contract> }>();

/**
 * The contract in the YAML file at `path`. Throws `ContractFault` where it can't be read. Remembered for the file and its text, since it holds no
 * state and takes 100 ms to make ready: a program that starts one shop for each of its tests makes it once.
 */
export async function loadContract({ path, strict }: ContractOptions): Promise<Contract> {
  const text = readContract(path);
  const key = `${strict} ${path}`;
  let entry = loaded.get(key);
  if (entry?.text !== text) {
    entry = { text, contract: makeContract(path, text, strict) };
    loaded.set(key, entry);
  }
  return entry.contract;
}

async function makeContract(path: string, text: string, strict: boolean): Promise<Contract> {
  const document = parseDocument(path, text);
  const obstacles = obstaclesIn(document);
  if (obstacles.length > 0) throw await obstructed(path, text, obstacles);
  const translated = inOneDialect(document);
  if (translated.obstacles.length > 0) throw await obstructed(path, text, translated.obstacles);
  const plain = withOperationIds(translated.document);
  const { router, validator } = await backendFor(plain);
  const [sent, answered] = [viewOf(plain, text, 'readOnly'), viewOf(plain, text, 'writeOnly')];
  const requestJudge = schemaJudge(() => (strict ? closed(sent) : sent));
  const formJudge = schemaJudge(() => (strict ? closed(sent) : sent), { coerceTypes: 'array' });
  const judge = schemaJudge(() => answered);
  const closedJudge = schemaJudge(() => closed(answered));

  return {
    path,
    text,
    document,
    plain,
    ...createRouting(router, plain),
    receive(route, request) {
      const { query, notes } = strict ? { query: request.query, notes: [] } : withoutUnknown(route, request);
      const input = { path: route.pathParameters(request.path), query, body: request.body };
      const bodyJudge = request.contentType === FORM_TYPE ? formJudge : requestJudge;
      const errors = [
        ...errorsIn(
          validator.getRequestValidatorsForOperation(route.operationId) ?? [],
          partsOf(route, request, input),
        ),
        ...bodyErrors(plain, bodyJudge, route, request),
      ];
      if (errors.length > 0) {
        const { violations, detail } = findingsOf(errors);
        return { kind: 'violations', violations, detail: [detail, ...notes].join('; ') };
      }
      return { kind: 'call', input, notes };
    },
    verify: (route, answer, options) => breachesOf(options.closed ? closedJudge : judge, route, answer),
    holds: (schema, value) => judge(schema, value).length === 0,
    checkData: dataCheck(closedJudge),
    warmUp(route) {
      validator.getRequestValidatorsForOperation(route.operationId);
      for (const { schema } of Object.values(route.bodyMedia))
        if (schema !== undefined) requestJudge(schema, undefined);
      for (const { media } of route.responses.filter(({ name }) => name.startsWith('2'))) {
        for (const { schema } of Object.values(media)) if (schema !== undefined) closedJudge(schema, undefined);
      }
    },
  };
}

/** A request taken apart as openapi-backend's checks expect it. They coerce parameters in place: what the handler gets is the contract's own. */
function partsOf({ parameters }: Route, request: PlainRequest, { path, query }: RawInput) {
  const declared = parameters.filter((one) => one.in === 'path').map(({ name }) => name);
  const values: Record<Parameter['in'], Record<string, unknown>> = {
    // Some documents have a name in a path and say nothing else of it.
    path: Object.fromEntries(declared.map((name) => [name, path[name]])),
    query: { ...query },
    header: {},
    cookie: {},
  };
  for (const { name, in: place, shape } of parameters) {
    if (shape === undefined && (place === 'path' || place === 'query')) continue;
    const value = valueSent(place, name, shape, request, values);
    if (value !== undefined) values[place][place === 'header' ? name.toLowerCase() : name] = value;
  }
  return values;
}

function valueSent(
  place: Parameter['in'],
  name: string,
  shape: Parameter['shape'],
  { headers }: PlainRequest,
  { path, query }: Readonly<Record<'path' | 'query', Record<string, unknown>>>,
): unknown {
  if (isDeep(shape)) {
    const taken = takenFrom(query, name);
    return taken === undefined || shape === 'deep' ? taken : [taken].flat();
  }
  const value =
    place === 'header'
      ? headers[name.toLowerCase()]
      : place === 'cookie'
        ? cookieIn(headers.cookie, name)
        : { path, query }[place][name];
  return value === undefined || shape === undefined ? value : shaped(shape, value as string | string[]);
}

/** Whether a parameter is written as `name[…]`. */
function isDeep(shape: Parameter['shape']): boolean {
  return shape === 'deep' || shape === 'deep list';
}

/** What the parameters `name[…]` of a query make, which are taken out of it: an object, or a list where they have no names but places. */
function takenFrom(query: Record<string, unknown>, name: string): unknown {
  let made: unknown = query[name];
  delete query[name];
  for (const [key, value] of Object.entries(query)) {
    const deep = deepName(key);
    if (deep?.parameter !== name) continue;
    delete query[key];
    made = put(made, deep.keys, value);
  }
  return made;
}

/** A value with another one put into it, by the keys that lead there. */
function put(into: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return into === undefined ? value : [into, value].flat();
  if (/^\d*$/.test(key)) {
    const list = into === undefined ? [] : [into].flat();
    return [...list, ...[put(undefined, rest, value)].flat()];
  }
  const own = isNode(into) ? into : {};
  return { ...own, [key]: put(own[key], rest, value) };
}

function cookieIn(cookies: string | readonly string[] | undefined, name: string): string | undefined {
  const pairs = String(cookies ?? '')
    .split(';')
    .map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** What the checks that openapi-backend has compiled for an operation find. They are called without its own way of taking requests apart, which costs a fifth of a POST and parses bodies a second time. */
function errorsIn(validators: readonly ValidateFunction[], parts: object): readonly ErrorObject[] {
  return validators.flatMap((validate) => (validate(parts) ? [] : (validate.errors ?? [])));
}

/** What is wrong with the body: one that lacks, and one that doesn't hold by the schema of its media type. */
function bodyErrors(
  document: Document,
  judge: SchemaJudge,
  route: Route,
  request: PlainRequest,
): readonly ErrorObject[] {
  const { pointer, bodyMedia } = route;
  const { body, contentType } = request;
  const [first] = Object.values(bodyMedia);
  if (!first) return [];
  const isSent = body !== undefined || (contentType !== undefined && !isRead(contentType));
  if (!isSent) {
    const isRequired = at(document, `${settledPointer(document, `${pointer}/requestBody`)}/required`) === true;
    const schema = at(document, settledPointer(document, first.schema ?? ''));
    return isRequired ? [lacking('requestBody', schema)] : [];
  }
  const documented = mediaTypeFor(Object.keys(bodyMedia), contentType ?? 'application/json');
  const schema = documented === undefined ? undefined : bodyMedia[documented]?.schema;
  if (schema === undefined || body === undefined) return [];
  return judge(schema, body).map((error) => ({
    ...error,
    parentSchema: withProperties(document, error.parentSchema),
    instancePath: `/requestBody${error.instancePath}`,
  }));
}

/** A schema whose properties are no references: a remedy tells what they have to be. */
function withProperties(document: Document, schema: unknown): Record<string, unknown> {
  if (!isNode(schema) || !isNode(schema.properties)) return (schema ?? {}) as Record<string, unknown>;
  const properties = Object.entries(schema.properties).map(([name, property]) => [
    name,
    isNode(property) && typeof property.$ref === 'string'
      ? at(document, settledPointer(document, pointerOf(property.$ref)))
      : property,
  ]);
  return { ...schema, properties: Object.fromEntries(properties) };
}

function lacking(property: string, schema: unknown): ErrorObject {
  return {
    keyword: 'required',
    instancePath: '',
    schemaPath: '#/required',
    params: { missingProperty: property },
    parentSchema: { properties: { [property]: schema } },
  };
}
/**
 * openapi-backend for routing and the checks of parameters, over no more than it needs of the document, since it replaces all references in place: on
 * bodies of large documents it took a minute. quick: what the document says was looked at.
 */
async function backendFor(document: Document): Promise<OpenAPIBackend> {
  const operations = new Map<string, Record<string, unknown>>();
  for (const { path, method, operationId, parameters } of routesOf(document)) {
    const operation = {
      operationId,
      responses: {},
      parameters: parameters.map(({ pointer }) => at(document, pointer)),
    };
    operations.set(patternOf(path), { ...operations.get(patternOf(path)), [method.toLowerCase()]: operation });
  }
  const backend = new OpenAPIBackend({
    definition: withTargets(
      { openapi: document.openapi, info: document.info, paths: Object.fromEntries(operations) } as Document,
      document,
    ),
    strict: true,
    quick: true,
    ajvOpts: { ...ajvOptions, validateSchema: false },
    customizeAjv: withFormats,
  });
  return backend.init();
}

/** A copy of a part of a document with all that it refers to; its references have no escapes, which openapi-backend would look for as they are written. */
function withTargets(part: Document, document: Document): Document {
  const targets: Record<string, unknown> = {};
  const names = new Map<string, string>();
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (!isNode(node)) return node;
    if (typeof node.$ref !== 'string')
      return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, visit(value)]));
    const pointer = pointerOf(node.$ref);
    let name = names.get(pointer);
    if (name === undefined) {
      name = `target${names.size}`;
      names.set(pointer, name);
      targets[name] = visit(at(document, pointer));
    }
    return { ...node, $ref: `#/x-targets/${name}` };
  };
  return { ...(visit(part) as Document), ...({ 'x-targets': targets } as object) };
}

/** Ours: what isn't known is ignored, since front ends send some. The query without it, and a note for all that it doesn't know in query and body. */
function withoutUnknown({ known, parameters }: Route, { query, body }: PlainRequest) {
  const isKnown = (name: string) =>
    parameters.some((one) => isDeep(one.shape) && one.name === deepName(name)?.parameter);
  const strangers = Object.keys(query).filter((name) => !known.query.includes(name) && !isKnown(name));
  const properties = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.keys(body) : [];
  const strange = properties.filter((name) => !known.body.includes(name));
  return {
    query:
      strangers.length === 0
        ? query
        : Object.fromEntries(Object.entries(query).filter(([name]) => !strangers.includes(name))),
    notes: firstOf([
      ...strangers.map((name) => ignored(`query parameter ${shortened(name)}`, leaveOut(name, known.query))),
      ...strange.map((name) => ignored(`${shortened(name)}`, leaveOut(name, known.body))),
    ]),
  };
}

function ignored(what: string, remedy: string): string {
  return `${what} is not known here and was ignored: ${remedy}`;
}
