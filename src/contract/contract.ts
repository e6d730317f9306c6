import type { ErrorObject, ValidateFunction } from 'ajv';
import { type Document, OpenAPIBackend } from 'openapi-backend';
import { type Breach, breachesOf, type PlainAnswer } from './answers.ts';
import { closed } from './closed.ts';
import { type DataCheck, dataCheck } from './data-check.ts';
import { inOneDialect } from './dialect.ts';
import {
  at,
  isNode,
  obstructed,
  parseDocument,
  pointerOf,
  pointerTo,
  readContract,
  settledPointer,
} from './document.ts';
import { deepName, type Parameter, shaped } from './parameters.ts';
import { leaveOut } from './remedy.ts';
import { isJsonType, mediaTypeFor } from './responses.ts';
import { createRouting, patternOf, type Route, type Routed } from './routes.ts';
import { ajvOptions, type SchemaJudge, schemaJudge, withFormats } from './schemas.ts';
import { METHODS, obstaclesIn, withOperationIds } from './structure.ts';
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
  const { router, validator } = await backendFor(strict ? closed(plain) : plain);
  const judge = schemaJudge(() => plain);
  const closedJudge = schemaJudge(() => closed(plain));
  const formJudge = schemaJudge(() => plain, { coerceTypes: 'array' });

  return {
    path,
    text,
    document,
    plain,
    ...createRouting(router, plain),
    receive(route, request) {
      const { query, notes } = strict ? { query: request.query, notes: [] } : withoutUnknown(route, request);
      const input = { path: route.pathParameters(request.path), query, body: request.body };
      const errors = [
        ...errorsIn(
          validator.getRequestValidatorsForOperation(route.operationId) ?? [],
          partsOf(route, request, input),
        ),
        ...bodyErrors(plain, request.contentType === FORM_TYPE ? formJudge : judge, route, request),
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
      for (const { media } of route.responses.filter(({ name }) => name.startsWith('2'))) {
        for (const { schema } of Object.values(media)) if (schema !== undefined) closedJudge(schema, undefined);
      }
    },
  };
}

/** A request taken apart as openapi-backend's checks expect it. They coerce parameters in place: what the handler gets is the contract's own. */
function partsOf({ parameters }: Route, request: PlainRequest, { path, query, body }: RawInput) {
  const values: Record<Parameter['in'], Record<string, unknown>> = {
    path: { ...path },
    query: { ...query },
    header: {},
    cookie: {},
  };
  for (const { name, in: place, shape } of parameters) {
    if (shape === undefined && (place === 'path' || place === 'query')) continue;
    const value = valueSent(place, name, shape, request, values);
    if (value !== undefined) values[place][place === 'header' ? name.toLowerCase() : name] = value;
  }
  const isJson = request.contentType === undefined || request.contentType === JSON_TYPE;
  return { ...values, ...(body === undefined || !isJson ? {} : { requestBody: body }) };
}

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

function valueSent(
  place: Parameter['in'],
  name: string,
  shape: Parameter['shape'],
  { headers }: PlainRequest,
  { path, query }: Readonly<Record<'path' | 'query', Record<string, unknown>>>,
): unknown {
  if (shape === 'deep') return takenFrom(query, name);
  const value =
    place === 'header'
      ? headers[name.toLowerCase()]
      : place === 'cookie'
        ? cookieIn(headers.cookie, name)
        : { path, query }[place][name];
  return value === undefined || shape === undefined ? value : shaped(shape, value as string | string[]);
}

/** The object that the parameters `name[…]` of a query make, which are taken out of it. */
function takenFrom(query: Record<string, unknown>, name: string): unknown {
  const found = Object.entries(query).flatMap(([key, value]) => {
    const deep = deepName(key);
    return deep?.parameter === name ? [[key, deep.key, value] as const] : [];
  });
  for (const [key] of found) delete query[key];
  return found.length === 0 ? undefined : Object.fromEntries(found.map(([, key, value]) => [key, value]));
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

/** What is wrong with the body beside what openapi-backend checks: one that lacks, and one of another media type than application/json. */
function bodyErrors(
  document: Document,
  judge: SchemaJudge,
  { pointer, bodyMedia }: Route,
  request: PlainRequest,
): readonly ErrorObject[] {
  const { body, contentType } = request;
  const [first] = Object.values(bodyMedia);
  if (!first) return [];
  const isSent = body !== undefined || (contentType !== undefined && !isRead(contentType));
  if (!isSent) {
    const isRequired = at(document, `${settledPointer(document, `${pointer}/requestBody`)}/required`) === true;
    const schema = at(document, settledPointer(document, first.schema ?? ''));
    return isRequired ? [lacking('requestBody', schema)] : [];
  }
  const documented = contentType === undefined ? undefined : mediaTypeFor(Object.keys(bodyMedia), contentType);
  const schema = documented === undefined || contentType === JSON_TYPE ? undefined : bodyMedia[documented]?.schema;
  if (schema === undefined || body === undefined) return [];
  return judge(schema, body).map((error) => ({ ...error, instancePath: `/requestBody${error.instancePath}` }));
}

/** Whether bodies of a media type are read, and not only let through. */
export function isRead(contentType: string): boolean {
  return isJsonType(contentType) || contentType === FORM_TYPE;
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
/** openapi-backend over a copy of the document, since it replaces references in place; quick: what the document says was looked at. */
async function backendFor(document: Document): Promise<OpenAPIBackend> {
  const definition = withPlainReferences(structuredClone(document));
  const paths = Object.entries(definition.paths ?? {}).map(([path, item]) => [
    patternOf(path),
    withCheckedBodies(definition, path, item ?? {}),
  ]);
  const backend = new OpenAPIBackend({
    definition: { ...definition, paths: Object.fromEntries(paths) },
    strict: true,
    quick: true,
    ajvOpts: { ...ajvOptions, validateSchema: false },
    customizeAjv: withFormats,
  });
  return backend.init();
}

/** A document, in place, whose references have no escapes: openapi-backend would look for these as they are written. */
function withPlainReferences(document: Document): Document {
  const targets = new Map<string, unknown>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { $ref } = node as { $ref?: unknown };
    if (typeof $ref === 'string' && /[%~]/.test($ref)) {
      targets.set($ref, at(document, pointerOf($ref)));
      Object.assign(node, { $ref: `#/x-targets/${[...targets.keys()].indexOf($ref)}` });
    }
    for (const value of Object.values(node)) visit(value);
  };
  visit(document);
  if (targets.size === 0) return document;
  const byNumber: object = { 'x-targets': Object.fromEntries([...targets.values()].entries()) };
  return Object.assign(document, byNumber);
}

/** The operations of a path with no other bodies than those that openapi-backend checks rightly: of JSON, and optional, since one may come in another media type. */
function withCheckedBodies(document: Document, path: string, item: object): object {
  const operations = METHODS.flatMap((method) => {
    const pointer = pointerTo('paths', path, method);
    const operation = at(document, pointer);
    const body = at(document, settledPointer(document, `${pointer}/requestBody`));
    if (!isNode(operation) || !isNode(body)) return [];
    const { requestBody: _, ...rest } = operation;
    const json = isNode(body.content) ? body.content[JSON_TYPE] : undefined;
    return [[method, json === undefined ? rest : { ...rest, requestBody: { content: { [JSON_TYPE]: json } } }]];
  });
  return { ...item, ...Object.fromEntries(operations) };
}

/** Ours: what isn't known is ignored, since front ends send some. The query without it, and a note for all that it doesn't know in query and body. */
function withoutUnknown({ known }: Route, { query, body }: PlainRequest) {
  const strangers = Object.keys(query).filter((name) => !known.query.includes(name));
  const properties = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.keys(body) : [];
  const strange = properties.filter((name) => !known.body.includes(name));
  return {
    query:
      strangers.length === 0
        ? query
        : Object.fromEntries(Object.entries(query).filter(([name]) => known.query.includes(name))),
    notes: firstOf([
      ...strangers.map((name) => ignored(`query parameter ${shortened(name)}`, leaveOut(name, known.query))),
      ...strange.map((name) => ignored(`${shortened(name)}`, leaveOut(name, known.body))),
    ]),
  };
}

function ignored(what: string, remedy: string): string {
  return `${what} is not known here and was ignored: ${remedy}`;
}
