import type { Contract } from '../../src/openapi/contract.ts';
import { getNode, isNode, type Node, resolvePointer } from '../../src/openapi/document.ts';
import type { Route } from '../../src/openapi/routes.ts';
import { formatPointer } from '../../src/util/json-pointer.ts';
import type { DocumentFinding } from './finding.ts';

/** A named example of a request or an answer. */
interface Named {
  readonly name: string;
  readonly pointer: string;
  readonly value: unknown;
}

interface NamedResponse extends Named {
  readonly status: string;
  /** Whether it is of a response that operations share, which speaks for them all and is nobody's pair. */
  readonly isShared: boolean;
}

/** The named examples of an operation. */
interface NamedExamples {
  readonly route: Route;
  readonly ofParameters: readonly Named[];
  readonly ofBody: readonly Named[];
  readonly refused: readonly Named[];
  readonly responses: readonly NamedResponse[];
}

/**
 * Where requests and answers don't pair by the names of their examples. Each named request has an answer of its name, unless the operation's success
 * has no body; each refused one a 4xx; and a problem is about the path of the request of its name. The other way round each answer of an operation's own has its request, but for those that no example can ask for: one success where no body is named,
 * the request without anything that may be left out; and a refusal that is due to the path, the query, or the state alone.
 */
export function nameFindings({ normalized: plain, routes }: Contract): readonly DocumentFinding[] {
  return routes
    .map((route) => getNamedExamples(plain, route))
    .flatMap((names) => [
      ...findRequestsWithoutResponse(names),
      ...findAmbiguous(names),
      ...findUnpairedSuccesses(names),
      ...findUnpairedErrors(names),
      ...findMisplaced(names),
    ]);
}

function getNamedExamples(document: Contract['normalized'], route: Route): NamedExamples {
  const body = resolvePointer(document, `${route.pointer}/requestBody`);
  const media = (holder: string) => pointersBelow(document, `${holder}/content`);
  const responses = `${route.pointer}/responses`;
  return {
    route,
    ofParameters: route.parameters.flatMap(({ pointer }) => namedBelow(document, `${pointer}/examples`)),
    ofBody: media(body).flatMap((pointer) => namedBelow(document, `${pointer}/examples`)),
    refused: media(body).flatMap((pointer) => namedBelow(document, `${pointer}/x-refused-examples`)),
    responses: route.responses.flatMap(({ name: status }) => {
      const holder = resolvePointer(document, responses + formatPointer(keyOf(getNode(document, responses), status)));
      const isShared = !holder.startsWith(responses);
      const named = media(holder).flatMap((pointer) => namedBelow(document, `${pointer}/examples`));
      return named.map((one) => ({ ...one, status, isShared }));
    }),
  };
}

/** The status as it is written in the document, where it may be in small letters. */
function keyOf(responses: unknown, status: string): string {
  return (
    Object.keys(isNode(responses) ? responses : {}).find((key) => key.toUpperCase() === status.toUpperCase()) ?? status
  );
}

function pointersBelow(document: Contract['normalized'], pointer: string): readonly string[] {
  const node = getNode(document, pointer);
  return Object.keys(isNode(node) ? node : {}).map((key) => pointer + formatPointer(key));
}

function namedBelow(document: Contract['normalized'], pointer: string): readonly Named[] {
  const node = getNode(document, pointer);
  return Object.keys(isNode(node) ? node : {}).map((name) => {
    const place = pointer + formatPointer(name);
    return { name, pointer: place, value: getNode(document, `${resolvePointer(document, place)}/value`) };
  });
}

function findRequestsWithoutResponse({
  route,
  ofParameters,
  ofBody,
  refused,
  responses,
}: NamedExamples): readonly DocumentFinding[] {
  const has = (name: string, status: RegExp) => responses.some((one) => one.name === name && status.test(one.status));
  // A success without a body has nothing to give an example of.
  const isBodiless = route.responses.some(({ name, media }) => name.startsWith('2') && Object.keys(media).length === 0);
  return [
    ...[...ofParameters, ...ofBody]
      .filter(({ name }) => !isBodiless && !has(name, /./))
      .map((one) => finding(one, `The request example ${one.name} has no response example of this name`)),
    ...refused
      .filter(({ name }) => !has(name, /^(4|default)/))
      .map((one) => finding(one, `The refused request example ${one.name} has no 4xx response example of this name`)),
  ];
}

function findAmbiguous({ responses }: NamedExamples): readonly DocumentFinding[] {
  const own = responses.filter(({ isShared }) => !isShared);
  return own
    .filter(({ name }, place) => own.slice(0, place).some((other) => other.name === name))
    .map((one) =>
      finding(
        one,
        `Two response examples have the name ${one.name}: the response to the request of this name is ambiguous`,
      ),
    );
}

function findResponsesWithoutRequest(
  { ofParameters, ofBody, refused, responses }: NamedExamples,
  status: RegExp,
): readonly NamedResponse[] {
  const requestNames = new Set([...ofParameters, ...ofBody, ...refused].map(({ name }) => name));
  return responses.filter((one) => !one.isShared && status.test(one.status) && !requestNames.has(one.name));
}

function findUnpairedSuccesses(names: NamedExamples): readonly DocumentFinding[] {
  const bare = names.ofBody.length === 0 ? 1 : 0;
  return findResponsesWithoutRequest(names, /^[123]/)
    .slice(bare)
    .map((one) => finding(one, `The response example ${one.name} has no request example of this name`));
}

function findUnpairedErrors(names: NamedExamples): readonly DocumentFinding[] {
  return findResponsesWithoutRequest(names, /^[^123]/)
    .filter(({ value }) => !isBeyondExamples(names.route, value))
    .map((one) =>
      finding(
        one,
        `The response example ${one.name} has no request example of this name, and is not caused by path or query`,
      ),
    );
}

/** Whether a problem is one that examples can't ask for: they are all of one path and of values that the parameters may have. */
function isBeyondExamples(route: Route, problem: unknown): boolean {
  const { instance, violations }: Node = isNode(problem) ? problem : {};
  const isOfOtherPath = typeof instance === 'string' && instance !== examplePath(route);
  const isOfOtherPart = Array.isArray(violations) && violations.every((one) => isNode(one) && one.in !== 'body');
  const isOfState = route.parameters.length === 0 && Object.keys(route.bodyMedia).length === 0;
  return isOfOtherPath || isOfOtherPart || isOfState;
}

/** Problems whose `instance` is another path than that of the request of their name. */
function findMisplaced({ route, responses }: NamedExamples): readonly DocumentFinding[] {
  const named = route.parameters.filter((one) => one.in === 'path').flatMap(({ examples }) => examples);
  return responses
    .filter(({ isShared, name }) => !isShared && named.some((example) => example.name === name))
    .flatMap((one) => {
      const { instance }: Node = isNode(one.value) ? one.value : {};
      const path = examplePath(route, one.name);
      if (instance === undefined || instance === path) return [];
      return [
        finding(
          one,
          `The response example ${one.name} is about ${String(instance)}, but the request of its name about ${path}`,
        ),
      ];
    });
}

/** The path with the examples of a name as its parameters, or with their first examples. */
function examplePath({ path, parameters }: Route, name?: string): string {
  return path.replaceAll(/\{(.*?)\}/g, (whole, placeholder) => {
    const { examples = [] } = parameters.find((one) => one.in === 'path' && one.name === placeholder) ?? {};
    return String((examples.find((one) => one.name === name) ?? examples[0])?.value ?? whole);
  });
}

function finding({ pointer }: Named, message: string): DocumentFinding {
  return { check: 'names', pointer, message };
}
