import type { Route } from '../openapi/routes.ts';
import type { Finding } from './findings.ts';
import { findLifeCycles } from './life-cycles.ts';
import { getCauses, getConfidence, type RuleName } from './rules.ts';
import { describeUnusual } from './unusual-requests.ts';

/**
 * Groups findings that have the same cause:
 * - the same violation in several operations
 * - violations of a rule for the operations of one resource, or for one place in them
 * - missing properties of one object in a response
 * - the same violation of one place in a schema or a response that several operations use
 * - violations that follow from another one for the same resource: a resource that is not stored is not listed either
 *
 * The first finding of a group is the one from which the others follow.
 * The groups are in the order in which their first findings were found.
 */
export function groupByCause(
  findings: readonly Finding[],
  routes: readonly Route[],
): readonly (readonly [Finding, ...Finding[]])[] {
  const toResource = createResourceFinder(routes);
  const groups: [Finding, ...Finding[]][] = [];
  const keys = new Map(findings.map((finding) => [finding, getCauseKeys(finding, toResource)]));
  for (const finding of [...findings].sort((one, other) => getDepth(one) - getDepth(other))) {
    const own = keys.get(finding) ?? [];
    const alike = groups.filter((group) => group.some((one) => keys.get(one)?.some((key) => own.includes(key))));
    const group = groups.find((one) => one.some((other) => follows(finding, other, toResource))) ?? alike[0];
    if (!group) {
      groups.push([finding]);
      continue;
    }
    group.push(finding);
    // A finding that follows from another one shows that those of the same kind do so too.
    for (const other of alike.filter((one) => one !== group && one[0].rule === finding.rule))
      group.push(...(groups.splice(groups.indexOf(other), 1)[0] ?? []));
  }
  return groups.sort(([one], [other]) => findings.indexOf(one) - findings.indexOf(other));
}

/** The kind of value in the message of a refused request. */
const EMPTY_TEXT = ': an empty text)';

type ResourceFinder = (operationId: string) => string;

/**
 * Returns a function that returns the path of the resource of an operation: `/bookings` for
 * `POST /bookings/{id}/cancel`.
 */
export function createResourceFinder(routes: readonly Route[]): ResourceFinder {
  const collections = findLifeCycles(routes)
    .map(({ create }) => create.path)
    .toSorted((one, other) => other.length - one.length);
  const paths = new Map(routes.map(({ operationId, path }) => [operationId, path]));
  return (operationId) => {
    const path = paths.get(operationId) ?? '';
    return collections.find((one) => path === one || path.startsWith(`${one}/`)) ?? path;
  };
}

/** Returns the name of the last property or parameter in a text such as `body/items/0/price type`. */
function getProperty(title: string): string {
  return /([^/*: ]+)(?:\/(?:\*|\d+))* \S+$/.exec(title)?.[1] ?? title;
}

/** Returns whether a server accepts a number with a fraction in place of an integer, such as 1.5 cents. */
function acceptsFraction({ rule, message }: Finding): boolean {
  return rule === 'invalid-refused' && /\d\.\d+(?:e[+-]?\d+)?: use an integer/.test(message);
}

/** Returns texts of which findings with the same cause have one in common. */
function getCauseKeys(finding: Finding, toResource: ResourceFinder): readonly string[] {
  const { rule, title, operationId, status, pointer } = finding;
  const key = getCauseKey(finding, toResource);
  if (rule !== 'response-schema') return [key];
  const [, object, keyword] = /^(.*)\/[^/ ]+ (\S+)$/.exec(title) ?? [];
  return [
    key,
    // The server leaves out the object, or a part of it.
    ...(object !== undefined && keyword === 'required' ? [`${operationId} ${status} ${object} ${keyword}`] : []),
    // One part of a server creates the objects of a schema.
    ...(pointer.startsWith('/components/') ? [`${pointer} ${title.split(' ').at(-1)}`] : []),
  ];
}

/** Returns the most important of these texts. */
function getCauseKey(finding: Finding, toResource: ResourceFinder): string {
  const { rule, title, operationId, message, exchanges } = finding;
  const resource = toResource(operationId);
  switch (rule) {
    case 'response-schema':
    case 'write-only': {
      // `body/items/price type` in a list and `body/price type` in an entry are the same property.
      return `${rule} ${resource} ${getProperty(title)} ${title.split(' ').at(-1)}`;
    }
    case 'invalid-refused': {
      // The same property or parameter, with different keywords: `body /name minLength`.
      if (acceptsFraction(finding)) return `${rule} ${resource} fraction`;
      const [, place = title] = /^[^:]+: (.*) \S+$/.exec(title) ?? [];
      return `${rule} ${resource} ${place.replaceAll(/\/\d+(?=\/|$)/g, '/*')}`;
    }
    case 'unknown-id':
      // A certain violation is not behind a likely one.
      return `${rule} ${getConfidence(finding)}`;
    case 'stored-value':
    case 'action-refused':
    case 'filter-selects':
    case 'filter-finds':
    case 'responds':
      return `${rule} ${resource}`;
    case 'server-error':
      // A framework reads the URL and the body in the same way for all resources.
      return `${rule} ${describeUnusual(exchanges.at(-1)?.request) || resource}`;
    case 'kind-accepted':
      return message.includes(EMPTY_TEXT) ? `${rule} ${EMPTY_TEXT}` : `${rule} ${title}`;
    default:
      return `${rule} ${title}`;
  }
}

/** Returns whether a server accepts an invalid value in the path of an operation. */
function isInvalidId({ rule, title }: Pick<Finding, 'rule' | 'title'>): boolean {
  return rule === 'invalid-refused' && /: path \S+ \S+$/.test(title);
}

/** Returns whether a finding follows from another one for the same resource, or for a resource that contains it. */
function follows(finding: Finding, other: Finding, toResource: ResourceFinder): boolean {
  const [own, cause] = [toResource(finding.operationId), toResource(other.operationId)];
  // A server that accepts an invalid value also returns it.
  if (finding.rule === 'response-schema' && other.rule === 'invalid-refused')
    return own === cause && getProperty(finding.title) === getProperty(other.title);
  // A server that finds unknown ids also finds invalid ones.
  if (isInvalidId(finding)) return other.rule === 'unknown-id' && finding.operationId === other.operationId;
  return getCauses(finding.rule).includes(other.rule) && (own === cause || own.startsWith(`${cause}/`));
}

/** A finding or a failure, with its rule, and the requests that lead to it as texts. */
interface Violated extends Pick<Finding, 'operationId' | 'rule' | 'title'> {
  readonly requests: readonly string[];
}

/**
 * Returns whether a response contains an invalid value that its own requests have sent, and that the server is known to
 * accept: both are about the same keyword of the same property of a resource.
 * Which of these requests the check sends depends on the seed.
 */
export function isReturnedValue(finding: Violated, accepted: Violated, toResource: ResourceFinder): boolean {
  const { operationId, title, requests } = finding;
  const property = getProperty(title);
  return (
    finding.rule === 'response-schema' &&
    accepted.rule === 'invalid-refused' &&
    (operationId === accepted.operationId || requests.length > 1) &&
    requests.some((request) => request.includes(`"${property}"`)) &&
    toResource(operationId) === toResource(accepted.operationId) &&
    property === getProperty(accepted.title) &&
    title.split(' ').at(-1) === accepted.title.split(' ').at(-1)
  );
}

/** Returns how many rules a rule can follow from, one after another. */
function getDepth({ rule, title = '' }: { readonly rule: RuleName; readonly title?: string }): number {
  if (rule === 'response-schema' || isInvalidId({ rule, title })) return 1;
  return Math.max(0, ...getCauses(rule).map((cause) => 1 + getDepth({ rule: cause })));
}
