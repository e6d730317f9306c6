import type { Contract } from '../../src/openapi/contract.ts';
import { getNode, isNode, type Node, resolvePointer } from '../../src/openapi/document.ts';
import type { Route } from '../../src/openapi/routes.ts';
import { formatPointer } from '../../src/util/json-pointer.ts';
import type { DocumentFinding } from './finding.ts';

/** A named example of a request or a response. */
interface NamedExample {
  readonly name: string;
  readonly pointer: string;
  readonly value: unknown;
}

interface NamedResponse extends NamedExample {
  readonly status: string;
  /** Whether several operations share the response. A shared example needs no request example. */
  readonly isShared: boolean;
}

/** The named examples of an operation. */
interface NamedExamples {
  readonly route: Route;
  readonly parameters: readonly NamedExample[];
  readonly body: readonly NamedExample[];
  /** The request examples that the server must reject (`x-refused-examples`). */
  readonly refused: readonly NamedExample[];
  readonly responses: readonly NamedResponse[];
}

/**
 * Checks that request examples and response examples are paired by name. Each request example needs a response example of the same name, unless the success
 * response has no body. Each refused request example needs a 4xx response example. The `instance` of a problem must be the path of its request. Each response
 * example needs a request example, with two exceptions. If the request body has no named examples, one success needs none. An error needs none if it depends on
 * the path, the query or the state, because no request example can cause it.
 */
export function nameFindings({ normalized: plain, routes }: Contract): readonly DocumentFinding[] {
  return routes
    .map((route) => getNamedExamples(plain, route))
    .flatMap((examples) => [
      ...findRequestsWithoutResponse(examples),
      ...findRepeatedNames(examples),
      ...findUnpairedSuccesses(examples),
      ...findUnpairedErrors(examples),
      ...findWrongPaths(examples),
    ]);
}

function getNamedExamples(document: Contract['normalized'], route: Route): NamedExamples {
  const body = resolvePointer(document, `${route.pointer}/requestBody`);
  const getMediaPointers = (parent: string) => getChildPointers(document, `${parent}/content`);
  const getExamples = (pointer: string) => getNamedChildren(document, `${pointer}/examples`);
  const responses = `${route.pointer}/responses`;
  return {
    route,
    parameters: route.parameters.flatMap(({ pointer }) => getExamples(pointer)),
    body: getMediaPointers(body).flatMap(getExamples),
    refused: getMediaPointers(body).flatMap((pointer) => getNamedChildren(document, `${pointer}/x-refused-examples`)),
    responses: route.responses.flatMap(({ name: status }) => {
      const key = findStatusKey(getNode(document, responses), status);
      const response = resolvePointer(document, responses + formatPointer(key));
      const isShared = !response.startsWith(responses);
      const examples = getMediaPointers(response).flatMap(getExamples);
      return examples.map((example) => ({ ...example, status, isShared }));
    }),
  };
}

/** Returns the key of a status in the `responses` of the document. The key can be in lower case, such as `2xx`. */
function findStatusKey(responses: unknown, status: string): string {
  return (
    Object.keys(isNode(responses) ? responses : {}).find((key) => key.toUpperCase() === status.toUpperCase()) ?? status
  );
}

function getChildPointers(document: Contract['normalized'], pointer: string): readonly string[] {
  const node = getNode(document, pointer);
  return Object.keys(isNode(node) ? node : {}).map((key) => pointer + formatPointer(key));
}

function getNamedChildren(document: Contract['normalized'], pointer: string): readonly NamedExample[] {
  const node = getNode(document, pointer);
  return Object.keys(isNode(node) ? node : {}).map((name) => {
    const child = pointer + formatPointer(name);
    return { name, pointer: child, value: getNode(document, `${resolvePointer(document, child)}/value`) };
  });
}

function findRequestsWithoutResponse({
  route,
  parameters,
  body,
  refused,
  responses,
}: NamedExamples): readonly DocumentFinding[] {
  const has = (name: string, status: RegExp) => responses.some((one) => one.name === name && status.test(one.status));
  // A success response without a body has no example.
  const isBodiless = route.responses.some(({ name, media }) => name.startsWith('2') && Object.keys(media).length === 0);
  return [
    ...[...parameters, ...body]
      .filter(({ name }) => !isBodiless && !has(name, /./))
      .map((one) => createFinding(one, `The request example ${one.name} has no response example of this name`)),
    ...refused
      .filter(({ name }) => !has(name, /^(4|default)/))
      .map((one) =>
        createFinding(one, `The refused request example ${one.name} has no 4xx response example of this name`),
      ),
  ];
}

function findRepeatedNames({ responses }: NamedExamples): readonly DocumentFinding[] {
  const own = responses.filter(({ isShared }) => !isShared);
  return own
    .filter(({ name }, index) => own.slice(0, index).some((other) => other.name === name))
    .map((one) =>
      createFinding(
        one,
        `Two response examples have the name ${one.name}: it is unclear which response belongs to the request example of this name`,
      ),
    );
}

function findResponsesWithoutRequest(
  { parameters, body, refused, responses }: NamedExamples,
  status: RegExp,
): readonly NamedResponse[] {
  const requestNames = new Set([...parameters, ...body, ...refused].map(({ name }) => name));
  return responses.filter((one) => !one.isShared && status.test(one.status) && !requestNames.has(one.name));
}

function findUnpairedSuccesses(examples: NamedExamples): readonly DocumentFinding[] {
  // One success can belong to the request without a named example.
  const allowed = examples.body.length === 0 ? 1 : 0;
  return findResponsesWithoutRequest(examples, /^[123]/)
    .slice(allowed)
    .map((one) => createFinding(one, `The response example ${one.name} has no request example of this name`));
}

function findUnpairedErrors(examples: NamedExamples): readonly DocumentFinding[] {
  return findResponsesWithoutRequest(examples, /^[^123]/)
    .filter(({ value }) => !isIndependentOfExamples(examples.route, value))
    .map((one) =>
      createFinding(
        one,
        `The response example ${one.name} has no request example of this name, and the path or the query cannot cause this response`,
      ),
    );
}

/**
 * Returns whether a problem needs no request example, because no example can cause it: the problem is about another path, its violations are not in the body,
 * or the operation has no input.
 */
function isIndependentOfExamples(route: Route, problem: unknown): boolean {
  const { instance, violations }: Node = isNode(problem) ? problem : {};
  const hasOtherPath = typeof instance === 'string' && instance !== formatExamplePath(route);
  const isOutsideBody = Array.isArray(violations) && violations.every((one) => isNode(one) && one.in !== 'body');
  const hasNoInput = route.parameters.length === 0 && Object.keys(route.bodyMedia).length === 0;
  return hasOtherPath || isOutsideBody || hasNoInput;
}

/** Returns a finding for each problem whose `instance` is not the path of the request example of the same name. */
function findWrongPaths({ route, responses }: NamedExamples): readonly DocumentFinding[] {
  const pathExamples = route.parameters.filter((one) => one.in === 'path').flatMap(({ examples }) => examples);
  return responses
    .filter(({ isShared, name }) => !isShared && pathExamples.some((example) => example.name === name))
    .flatMap((one) => {
      const { instance }: Node = isNode(one.value) ? one.value : {};
      const path = formatExamplePath(route, one.name);
      if (instance === undefined || instance === path) return [];
      return [
        createFinding(
          one,
          `The response example ${one.name} is about ${String(instance)}, but the request example of this name is about ${path}`,
        ),
      ];
    });
}

/** Returns the path of a request example. Each path parameter has its example `name`, else its first example. */
function formatExamplePath({ path, parameters }: Route, name?: string): string {
  return path.replaceAll(/\{(.*?)\}/g, (whole, placeholder) => {
    const { examples = [] } = parameters.find((one) => one.in === 'path' && one.name === placeholder) ?? {};
    return String((examples.find((one) => one.name === name) ?? examples[0])?.value ?? whole);
  });
}

function createFinding({ pointer }: NamedExample, message: string): DocumentFinding {
  return { check: 'names', pointer, message };
}
