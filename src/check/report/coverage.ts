import type { CoverageReport as ContractCoverage } from '../../control/operation.ts';
import { formatTotals } from '../../coverage/format.ts';
import type { Contract } from '../../openapi/contract.ts';
import { isJsonType } from '../../openapi/media-types.ts';
import type { Route } from '../../openapi/routes.ts';
import { requiresCredentials } from '../../openapi/security.ts';
import { hasNode } from '../../openapi/walk-schemas.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { limitList } from '../../util/text.ts';
import { findActions } from '../actions.ts';
import type { Verdict } from '../check.ts';
import type { CheckResults } from '../findings.ts';
import { documents } from '../life-cycle-rules.ts';
import { findLifeCycles, type LifeCycle } from '../life-cycles.ts';
import { getLinks } from '../links.ts';
import { getBodyType } from '../requests.ts';
import { RULES, type RuleName } from '../rules.ts';
import { NO_ETAG } from '../session.ts';

/** What a check did with a rule for one operation. */
export interface CheckedRule {
  readonly rule: RuleName;
  /** How many times the rule was checked. */
  readonly count: number;
  /** Why it was not checked; undefined if it was. */
  readonly reason: string | undefined;
}

/** What a check did with one operation. */
export interface OperationCoverage {
  readonly operationId: string;
  readonly requests: number;
  /** The number of responses with a 2xx status. For an operation that creates resources: the created resources. */
  readonly accepted: number;
  /** The number of sequences of requests that start with this operation, such as create, read, update and delete. */
  readonly sequences: number;
  /** The rules that are about such an operation. */
  readonly rules: readonly CheckedRule[];
}

/** What a check covered: by operation, and by rule over all operations. */
export interface CoverageReport {
  readonly operations: readonly OperationCoverage[];
  readonly rules: readonly CheckedRule[];
  /** The parts of the contract that the check used, in the terms of `storefront coverage`. */
  readonly contract: ContractCoverage;
}

/** What an operation does with the resources of a collection; `any` for all operations. */
type Role = 'any' | 'create' | 'list' | 'read' | 'put' | 'patch' | 'remove' | 'action';

/** Why a contract has no operation with a role. */
const MISSING_ROLES: Readonly<Record<Role, string>> = {
  any: 'no operation',
  create: 'no collection with POST /things and GET /things/{id}',
  list: 'no list of created resources',
  read: 'no created resource can be read',
  put: 'no PUT of a created resource',
  patch: 'no PATCH of a created resource',
  remove: 'no DELETE of a created resource',
  action: 'no action of a created resource, such as POST /things/{id}/close',
};

/** An operation, and the collection whose resources it creates or changes. */
interface Place {
  readonly route: Route;
  readonly role: Role;
  readonly contract: Contract;
  readonly hasModel: boolean;
}

/** Returns why a contract has nothing to check with an operation; undefined if it has. */
type FindReason = (place: Place) => string | undefined;

const needsStatus = (status: number): FindReason => {
  return ({ route }) => (documents(route, status) ? undefined : `no documented ${status}`);
};
const needsInput: FindReason = ({ route }) =>
  route.parameters.length > 0 || getBodyType(route) !== undefined ? undefined : 'no parameters and no body';
const needsGet: FindReason = ({ route }) => (route.method === 'GET' ? undefined : NO_ETAG);
const needsCredentials: FindReason = ({ route }) =>
  requiresCredentials(route) ? undefined : 'no security requirement';
const needsParent: FindReason = ({ route, role }) =>
  route.pathNames.length > (role === 'list' ? 0 : 1) ? undefined : 'no collection below another resource';
const needsNoModel: FindReason = ({ hasModel }) => (hasModel ? 'the model of the application checks it' : undefined);

const CHANGES: readonly Role[] = ['put', 'patch'];

/** For each rule: the operations that it is about. By default, all operations. */
const SCOPES: { readonly [Name in RuleName]?: { readonly roles?: readonly Role[]; readonly find?: FindReason } } = {
  'write-only': {
    find: ({ contract }) => (hasWriteOnly(contract) ? undefined : 'no property is writeOnly'),
  },
  'usable-connection': {
    find: ({ route }) =>
      route.method === 'POST' && route.pathNames.length === 0 && isJsonType(getBodyType(route) ?? '')
        ? undefined
        : 'no POST of JSON to a path without parameters',
  },
  'invalid-refused': { find: needsInput },
  'unparsable-refused': {
    find: ({ route }) => (isJsonType(getBodyType(route) ?? '') ? undefined : 'no JSON body'),
  },
  'valid-accepted': { find: needsInput },
  'kind-accepted': { find: (place) => needsInput(place) ?? needsNoModel(place) },
  'some-accepted': {
    find: (place) =>
      needsInput(place) ??
      needsNoModel(place) ??
      (place.route.pathNames.length > 0 ? 'the path has parameters' : undefined),
  },
  link: {
    find: ({ route, contract }) => (getLinks({ contract }, route).length > 0 ? undefined : 'no documented links'),
  },
  'credentials-required': { find: needsCredentials },
  'refusal-schema': { find: (place) => needsCredentials(place) ?? needsStatus(401)(place) },
  'created-readable': { roles: ['create'] },
  'created-listed': { roles: ['list'] },
  'stored-change': { roles: ['create', ...CHANGES, 'action'] },
  'stored-value': { roles: ['create', ...CHANGES] },
  'long-text': { roles: ['create'] },
  'text-letters': { roles: ['create'] },
  'text-escapes': { roles: ['create'] },
  location: { roles: ['create'] },
  'nested-item': { roles: ['read'], find: needsParent },
  'nested-list': { roles: ['list'], find: needsParent },
  'unknown-id': { roles: ['read', ...CHANGES, 'action', 'remove'], find: needsStatus(404) },
  'put-replaces': { roles: ['put'] },
  'patch-keeps': { roles: ['patch'] },
  'null-removes': { roles: ['patch'] },
  'etag-changes': { find: ({ role, ...place }) => (CHANGES.includes(role) ? undefined : needsGet({ role, ...place })) },
  'not-modified': { find: needsGet },
  'if-match': { roles: CHANGES, find: needsStatus(412) },
  'if-match-required': { roles: CHANGES, find: needsStatus(428) },
  'list-current': { roles: ['list'] },
  'page-size': { roles: ['list'] },
  'page-selection': { roles: ['list'] },
  'page-total': { roles: ['list'] },
  'filter-selects': { roles: ['list'] },
  'filter-finds': { roles: ['list'] },
  'list-sorted': { roles: ['list'] },
  'action-refused': { roles: ['action'], find: needsStatus(409) },
  'create-unique': { roles: ['create'], find: needsStatus(409) },
  'unique-concurrent': { roles: ['create'], find: needsStatus(409) },
  'unique-update': { roles: CHANGES, find: needsStatus(409) },
  'create-overwrites': { roles: ['create'], find: needsStatus(409) },
  'deleted-readable': { roles: ['remove'] },
  'deleted-listed': { roles: ['list'] },
  model: { find: ({ hasModel }) => (hasModel ? undefined : 'no model describes the application') },
};

/** Rules that are checked with all responses. */
const RESPONSE_RULES: readonly RuleName[] = [
  ...(['response-status', 'response-type', 'response-schema', 'write-only', 'server-error', 'responds'] as const),
  ...(['reproducible', 'http', 'json', 'unique-names', 'charset', 'problem-status', 'announced-close'] as const),
  'some-accepted',
];

const hasWriteOnly = memoizeByObject(({ normalized }: Contract): boolean =>
  hasNode(normalized, ({ writeOnly }) => writeOnly === true),
);

/** Returns what a check covered. */
export function createCoverage(
  verdict: Pick<Verdict, 'routes' | 'results' | 'model'>,
  contract: Contract,
): CoverageReport {
  const { routes, results, model } = verdict;
  const hasModel = model !== undefined;
  const roles = hasModel ? new Map<Route, Role>() : findRoles(contract);
  const places = routes.map((route) => ({ route, role: roles.get(route) ?? ('any' as const), contract, hasModel }));
  const operations = places.map((place) => {
    const { route } = place;
    const rules = listRules(place)
      .map((rule) => createCheckedRule(results, place, rule))
      .filter(isShown);
    return { operationId: route.operationId, ...results.coverage.getCounts(route), rules };
  });
  const names = Object.keys(RULES) as RuleName[];
  const rules = names.map((rule) => joinRule(rule, operations, places)).filter(isShown);
  return { operations, rules, contract: results.coverage.getPoints(contract) };
}

/** Returns whether a report shows a rule. A check without a pact is complete without the rule of pacts. */
function isShown({ rule, count }: CheckedRule): boolean {
  return rule !== 'pact-response' || count > 0;
}

/** Returns what each operation does with created resources. */
function findRoles(contract: Contract): ReadonlyMap<Route, Role> {
  const { routes } = contract;
  const toRoles = (cycle: LifeCycle): readonly (readonly [Route, Role])[] => [
    [cycle.create, 'create'],
    [cycle.read, 'read'],
    ...(cycle.list ? [[cycle.list, 'list'] as const] : []),
    ...(cycle.remove ? [[cycle.remove, 'remove'] as const] : []),
    ...cycle.updates.map((route) => [route, route.method === 'PUT' ? 'put' : 'patch'] as const),
    ...findActions({ allowedRoutes: routes, session: { contract } }, cycle.read).map((one) => [one, 'action'] as const),
  ];
  return new Map(findLifeCycles(routes).flatMap(toRoles));
}

/** Returns the rules that are about an operation. */
function listRules({ role }: Place): readonly RuleName[] {
  return (Object.keys(RULES) as RuleName[]).filter((rule) => {
    const { roles } = SCOPES[rule] ?? {};
    return roles === undefined || roles.includes(role);
  });
}

function createCheckedRule(results: CheckResults, place: Place, rule: RuleName): CheckedRule {
  const { route } = place;
  const { requests, accepted } = results.coverage.getCounts(route);
  const { count: counted, reason } = results.coverage.getRule(rule, route);
  const missing = SCOPES[rule]?.find?.(place);
  const count = counted > 0 || missing !== undefined || !RESPONSE_RULES.includes(rule) ? counted : requests;
  if (count > 0) return { rule, count, reason: undefined };
  const unknown = requests === 0 ? 'no response' : accepted === 0 ? 'the operation never succeeded' : NOT_SHOWN;
  return { rule, count, reason: missing ?? reason ?? unknown };
}

const NOT_SHOWN = 'no response showed it';

/**
 * Returns what a check did with a rule for all operations.
 * The reason is that of most operations to which the contract applies the rule, or else of most operations.
 * `places`: those of the operations.
 */
function joinRule(rule: RuleName, operations: readonly OperationCoverage[], places: readonly Place[]): CheckedRule {
  const find = SCOPES[rule]?.find;
  const own = operations.flatMap(({ rules }, index) => {
    const place = places[index];
    const isPossible = place !== undefined && find?.(place) === undefined;
    return rules.filter((one) => one.rule === rule).map((one) => ({ ...one, isPossible }));
  });
  const count = own.reduce((sum, one) => sum + one.count, 0);
  if (count > 0) return { rule, count, reason: undefined };
  const possible = own.filter((one) => one.isPossible);
  const reasons = (possible.length > 0 ? possible : own).flatMap(({ reason }) => reason ?? []);
  const common = [...new Set(reasons)].toSorted((one, other) => countSame(reasons, other) - countSame(reasons, one));
  const [role = 'any'] = SCOPES[rule]?.roles ?? [];
  return { rule, count, reason: common[0] ?? MISSING_ROLES[role] };
}

function countSame(all: readonly string[], value: string): number {
  return all.filter((one) => one === value).length;
}

/** The maximum number of reasons in a report for a terminal. */
const MAX_REASONS = 15;

/** Describes what a check covered, in a few lines. */
export function describeCoverage({ operations, rules, contract }: CoverageReport): readonly string[] {
  if (operations.length === 0) return [];
  const sum = (count: (one: OperationCoverage) => number) => operations.reduce((total, one) => total + count(one), 0);
  const created = sum(({ rules: own, accepted }) =>
    own.some(({ rule }) => rule === 'created-readable') ? accepted : 0,
  );
  const checked = rules.filter(({ count }) => count > 0).length;
  const resources = created > 0 ? `, ${created} created resources, ${sum(({ sequences }) => sequences)} sequences` : '';
  const skipped = groupByReason(rules).map(([reason, names]) => `${names.join(', ')} (${reason})`);
  return [
    `Covered: ${operations.length} operations${resources}, ${checked} of ${rules.length} rules`,
    `Parts of the contract: ${formatTotals(contract)}`,
    ...(skipped.length > 0 ? [`Rules that were not checked: ${limitList(skipped, MAX_REASONS).join('; ')}`] : []),
  ];
}

/** Returns the rules that were not checked by their reasons. */
export function groupByReason(rules: readonly CheckedRule[]): readonly (readonly [string, readonly RuleName[]])[] {
  const groups = new Map<string, RuleName[]>();
  for (const { rule, reason } of rules)
    if (reason !== undefined) groups.set(reason, [...(groups.get(reason) ?? []), rule]);
  return [...groups];
}
