import type { Document } from 'openapi-backend';
import { type Breach, breachesOf, type PlainAnswer } from './answers.ts';
import { backendFor } from './backend.ts';
import { closed } from './closed.ts';
import { type DataCheck, dataCheck } from './data-check.ts';
import { inOneDialect } from './dialect.ts';
import { ContractFault, described, obstructed, parseDocument, readContract } from './document.ts';
import { bodyErrors, errorsIn, type PlainRequest, partsOf, type Received, withoutUnknown } from './requests.ts';
import { FORM_TYPE } from './responses.ts';
import { createRouting, type Route, type Routed } from './routes.ts';
import { schemaJudge, viewOf } from './schemas.ts';
import { obstaclesIn, withOperationIds } from './structure.ts';
import { findingsOf } from './violations.ts';

/** The contract, ready to judge. */
export interface Contract {
  /** The file as it was loaded: where it is, its text, and what it says. */
  readonly path: string;
  readonly text: string;
  readonly document: Document;
  /** The same with its schemas as ajv has them, and an id for every operation. */
  readonly plain: Document;
  /** What of it says nothing, since it is written wrongly, a sentence; undefined where there is nothing of the kind. */
  readonly slips: string | undefined;
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
  /** Makes what the first request to an operation would else wait for, some 10 ms; `closed` as in `verify`. Throws where that can't be made. */
  warmUp(route: Route, options: { readonly closed: boolean }): void;
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
    entry = { text, contract: makeContract(path, text, strict).catch((cause) => Promise.reject(asFault(path, cause))) };
    loaded.set(key, entry);
  }
  return entry.contract;
}

/** What keeps a document from being served, whatever it is, as a fault of that document. */
function asFault(path: string, cause: unknown): ContractFault {
  return cause instanceof ContractFault
    ? cause
    : new ContractFault(`${path} can't be served: ${(cause as Error).message}`, { cause });
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
    slips: translated.slips.length > 0 ? await described(path, text, translated.slips) : undefined,
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
    verify: (route, answer, { closed: isClosed }) => breachesOf(isClosed ? closedJudge : judge, route, answer),
    holds: (schema, value) => judge(schema, value).length === 0,
    checkData: dataCheck(closedJudge),
    warmUp(route, { closed: isClosed }) {
      validator.getRequestValidatorsForOperation(route.operationId);
      const sentSchemas = Object.values(route.bodyMedia).flatMap(({ schema }) => schema ?? []);
      const successes = route.responses.filter(({ name }) => name.startsWith('2'));
      const answeredSchemas = successes.flatMap(({ media }) =>
        Object.values(media).flatMap(({ schema }) => schema ?? []),
      );
      const errors = [
        ...sentSchemas.flatMap((schema) => requestJudge(schema, undefined)),
        ...answeredSchemas.flatMap((schema) => (isClosed ? closedJudge : judge)(schema, undefined)),
      ];
      const unusable = errors.find(({ keyword }) => keyword === 'unusable');
      if (unusable) throw new ContractFault(`${path} ${unusable.message}`);
    },
  };
}
