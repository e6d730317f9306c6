import type { ErrorObject, ValidateFunction } from 'ajv';
import { type Document, OpenAPIBackend } from 'openapi-backend';
import { createAnswerJudge } from './answers.ts';
import { closed } from './closed.ts';
import { parseDocument, readContract } from './document.ts';
import type { SchemaName } from './operation.ts';
import { leaveOut, remedyFor } from './remedy.ts';
import { createRouting, type Route, type Routed } from './routes.ts';
import { ajvOptions, schemaJudge, withFormats } from './schemas.ts';
import { type Findings, findingsOf, firstOf, onePerPlace, shortened, wrongness } from './violations.ts';

/** What of a request the contract judges, beside its method and path. */
export interface PlainRequest {
  readonly path: string;
  /** A parameter that was sent more than once has a list. */
  readonly query: Readonly<Record<string, string | string[]>>;
  /** Undefined where none was sent. */
  readonly body: unknown;
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

/** Something wrong with a value: where (JSON Pointer), and the end of a sentence that begins with the place. */
export interface Trouble {
  readonly pointer: string;
  readonly trouble: string;
}

/** The contract, ready to judge. */
export interface Contract extends ReturnType<typeof createAnswerJudge> {
  /** `openapi.yaml` as it was loaded: its text, and what it says. */
  readonly text: string;
  readonly document: Document;
  readonly routes: readonly Route[];
  /** What a method and a path (undecoded, without its query) lead to. */
  route(method: string, path: string): Routed;
  /** What a request to an operation holds, or every way in which it breaks the contract. */
  receive(route: Route, request: PlainRequest): Received;
  /**
   * What is wrong with a value by a schema of the contract, in which no properties are allowed but its own. Properties that it lacks and that the
   * schema has a `default` for are put into it.
   */
  checkData(schema: SchemaName, value: unknown): readonly Trouble[];
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
    entry = { text, contract: makeContract(text, parseDocument(path, text), strict) };
    loaded.set(key, entry);
  }
  return entry.contract;
}

async function makeContract(text: string, document: Document, strict: boolean): Promise<Contract> {
  const { router, validator } = await backendFor(strict ? closed(document) : document);
  const judge = schemaJudge(() => closed(document));
  const dataJudge = schemaJudge(() => closed(document), { useDefaults: true });
  const answers = createAnswerJudge(document, judge);

  return {
    text,
    document,
    ...createRouting(router),
    ...answers,
    receive(route, request) {
      const { query, notes } = strict ? { query: request.query, notes: [] } : withoutUnknown(route, request);
      const input = { path: route.pathParameters(request.path), query, body: request.body };
      const errors = errorsIn(validator.getRequestValidatorsForOperation(route.operationId) ?? [], input);
      if (errors.length > 0) {
        const { violations, detail } = findingsOf(errors);
        return { kind: 'violations', violations, detail: [detail, ...notes].join('; ') };
      }
      return { kind: 'call', input, notes };
    },
    checkData: (schema, value) =>
      [...onePerPlace(dataJudge(`/components/schemas/${schema}`, value))].map(([pointer, error]) => ({
        pointer,
        trouble: `${wrongness(error)}: ${remedyFor(error)}`,
      })),
    warmUp(route) {
      validator.getRequestValidatorsForOperation(route.operationId);
      answers.verify(route, answers.example(route));
    },
  };
}

/**
 * What the checks that openapi-backend has compiled for an operation find in a request, taken apart as they expect it. They are called without
 * its own way of taking requests apart, which costs a fifth of a POST and parses bodies a second time.
 */
function errorsIn(validators: readonly ValidateFunction[], { path, query, body }: RawInput): readonly ErrorObject[] {
  // The checks of parameters coerce what they look at in place; what the handler gets is the contract's own.
  const parts = { path: { ...path }, query: { ...query }, ...(body === undefined ? {} : { requestBody: body }) };
  return validators.flatMap((validate) => (validate(parts) ? [] : (validate.errors ?? [])));
}

/** openapi-backend over a copy of the document, since it replaces references in place; quick: what the document says is checked by the tests. */
async function backendFor(document: Document): Promise<OpenAPIBackend> {
  const backend = new OpenAPIBackend({
    definition: structuredClone(document),
    strict: true,
    quick: true,
    ajvOpts: ajvOptions,
    customizeAjv: withFormats,
  });
  return backend.init();
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
