import type { Document } from 'openapi-backend';
import { checkStructure, withOperationIds } from './check-structure.ts';
import { closeSchemas } from './close-schemas.ts';
import { createDataValidator, type DataValidator } from './data-validator.ts';
import { ContractError, createContractError, formatIssues, parseDocument, readContract, yamlOf } from './document.ts';
import { normalizeSchemas } from './normalize-schemas.ts';
import { backendFor } from './openapi-backend.ts';
import { FORM_TYPE } from './responses.ts';
import { createRouting, type Route, type Routed } from './routes.ts';
import { createSchemaValidator, viewOf } from './schema-validator.ts';
import {
  ignoreUnknown,
  limitErrors,
  type PlainRequest,
  type Received,
  runValidators,
  toValidatorInput,
  validateBody,
} from './validate-request.ts';
import { type ResponseToVerify, type ResponseViolation, verifyResponse } from './verify-response.ts';
import { toViolations } from './violations.ts';

/** The contract, ready to judge. */
export interface Contract {
  /** The file as it was loaded: where it is, its text, and what it says. */
  readonly path: string;
  readonly text: string;
  readonly document: Document;
  /** The document as it is enforced: the file itself, or under `strict` one with closed schemas. */
  readonly enforced: Enforced;
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
  verify(route: Route, answer: ResponseToVerify, options: { readonly closed: boolean }): readonly ResponseViolation[];
  /** Whether a value holds by the schema at a pointer. */
  holds(schema: string, value: unknown): boolean;
  /** What is wrong with a value by a schema of the contract, in which no properties are allowed but its own. */
  checkData: DataValidator;
  /** Makes what the first request to an operation would else wait for, some 10 ms; `closed` as in `verify`. Throws where that can't be made. */
  warmUp(route: Route, options: { readonly closed: boolean }): void;
}

/** A document as it is enforced, made when it is first read. */
export interface Enforced {
  readonly document: Document;
  /** As YAML. */
  readonly text: string;
}

/** Which document, and whether what it doesn't know is refused or only noted. */
export interface ContractOptions {
  readonly path: string;
  readonly strict: boolean;
}

const loaded = new Map<string, { readonly text: string; readonly contract: Promise<Contract> }>();

/**
 * The contract in the YAML file at `path`. Throws `ContractError` where it can't be read. Remembered for the file and its text, since it holds no
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
function asFault(path: string, cause: unknown): ContractError {
  return cause instanceof ContractError
    ? cause
    : new ContractError(`${path} can't be served: ${(cause as Error).message}`, { cause });
}

function enforcedStrictly(document: Document): Enforced {
  let made: Enforced | undefined;
  const enforced = () => {
    if (made) return made;
    const whole = closeSchemas(document);
    made = { document: whole, text: yamlOf(whole) };
    return made;
  };
  return {
    get document() {
      return enforced().document;
    },
    get text() {
      return enforced().text;
    },
  };
}

async function makeContract(path: string, text: string, strict: boolean): Promise<Contract> {
  const document = parseDocument(path, text);
  const obstacles = checkStructure(document);
  if (obstacles.length > 0) throw createContractError(path, text, obstacles);
  const translated = normalizeSchemas(document);
  if (translated.obstacles.length > 0) throw createContractError(path, text, translated.obstacles);
  const plain = withOperationIds(translated.document);
  const { router, validator } = await backendFor(plain);
  const [sent, answered] = [viewOf(plain, text, 'readOnly'), viewOf(plain, text, 'writeOnly')];
  const requestJudge = createSchemaValidator(() => (strict ? closeSchemas(sent) : sent));
  const largeJudge = createSchemaValidator(() => (strict ? closeSchemas(sent) : sent), { allErrors: false });
  const formJudge = createSchemaValidator(() => (strict ? closeSchemas(sent) : sent), { coerceTypes: 'array' });
  const judge = createSchemaValidator(() => answered);
  const closedJudge = createSchemaValidator(() => closeSchemas(answered));

  return {
    path,
    text,
    document,
    enforced: strict ? enforcedStrictly(document) : { document, text },
    plain,
    slips: translated.slips.length > 0 ? formatIssues(path, text, translated.slips) : undefined,
    ...createRouting(router, plain),
    receive(route, request) {
      const { query, notes } = strict ? { query: request.query, notes: [] } : ignoreUnknown(route, request);
      const input = { path: route.pathParameters(request.path), query, body: request.body };
      const jsonJudge = request.isLarge ? largeJudge : requestJudge;
      const bodyJudge = request.contentType === FORM_TYPE ? formJudge : jsonJudge;
      const parts = toValidatorInput(route, request, input);
      const unusable = limitErrors(parts, request.body);
      const isTooDeep = unusable.some(({ keyword }) => keyword === 'depth');
      const errors = isTooDeep
        ? unusable
        : [
            ...runValidators(validator.getRequestValidatorsForOperation(route.operationId) ?? [], parts),
            ...validateBody(plain, bodyJudge, route, request),
            ...unusable,
            // The checks have made numbers of texts meanwhile.
            ...limitErrors(parts, request.contentType === FORM_TYPE ? request.body : undefined),
          ];
      if (errors.length > 0) {
        const { violations, detail } = toViolations(errors);
        return { kind: 'violations', violations, detail: [detail, ...notes].join('; ') };
      }
      return { kind: 'call', input, notes };
    },
    verify: (route, answer, { closed: isClosed }) => verifyResponse(isClosed ? closedJudge : judge, route, answer),
    holds: (schema, value) => judge(schema, value).length === 0,
    checkData: createDataValidator(closedJudge),
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
      if (unusable) throw new ContractError(`${path} ${unusable.message}`);
    },
  };
}
