import { type Document, getNode, isNode, type Node } from '../openapi/document.ts';
import { getSchemePointer } from '../openapi/security.ts';
import type { Delta } from './change.ts';
import { type Operation, resolveNode } from './operation.ts';
import { toCanonicalText } from './schema-parts.ts';

/** A credential, or a scope of it. */
interface Need {
  readonly label: string;
  /** What clients send: two needs with the same text are the same. */
  readonly identity: string;
  /** How a client can get the credential, as texts: each flow of OAuth 2.0 with its URLs. */
  readonly flows: readonly string[];
  /** The names of the flows. */
  readonly flowNames: readonly string[];
}

/** A security requirement: the credentials that a request needs together. */
type Requirement = readonly Need[];

/** Returns the changes of the security requirements of an operation. */
export function securityChanges(before: Operation, after: Operation): readonly Delta[] {
  const [old, now] = [getRequirements(before), getRequirements(after)];
  // Credentials that satisfied an older requirement must satisfy at least one newer requirement.
  const shut = old.filter((way) => !now.some((other) => satisfies(way, other)));
  const opened = now.filter((way) => !old.some((other) => satisfies(way, other)));
  if (shut.length === 0 && opened.length === 0) return [];
  const message = describeChange(old, now);
  return [
    { effect: shut.length > 0 ? 'narrower' : 'wider', before: getPointer(before), after: getPointer(after), message },
  ];
}

/** Returns whether credentials satisfy a requirement, whichever of their flows a client has used. */
function satisfies(way: Requirement, required: Requirement): boolean {
  return required.every((need) =>
    way.some(({ identity, flows }) => identity === need.identity && flows.every((flow) => need.flows.includes(flow))),
  );
}

function describeChange(old: readonly Requirement[], now: readonly Requirement[]): string {
  for (const format of [({ label }: Need) => label, formatWithFlows]) {
    const [before, after] = [formatRequirements(old, format), formatRequirements(now, format)];
    if (before !== after) return `the request needs ${after} instead of ${before}`;
  }
  return `the request needs ${formatRequirements(now, formatWithFlows)} with other URLs`;
}

function formatWithFlows({ label, flowNames }: Need): string {
  return flowNames.length === 0 ? label : `${label} (${flowNames.join(' or ')})`;
}

function getPointer({ document, node, pointer }: Operation): string {
  if (node.security !== undefined) return `${pointer}/security`;
  return document.security === undefined ? pointer : '/security';
}

function getRequirements({ document, node }: Operation): readonly Requirement[] {
  const list = node.security ?? document.security;
  const ways = Array.isArray(list) ? list.filter(isNode) : [];
  return ways.length === 0 ? [[]] : ways.map((way) => toRequirement(document, way));
}

/** Returns the credentials of a security requirement, without the names of the schemes, which clients do not send. */
function toRequirement(document: Document, way: Node): Requirement {
  return Object.entries(way).flatMap(([name, scopes]) => {
    const { node } = resolveNode(document, getSchemePointer(document, name));
    const { type, in: place, name: key, scheme, openIdConnectUrl } = node;
    const flowNames = Object.keys(isNode(node.flows) ? node.flows : {}).toSorted();
    const flows = flowNames.map((flow) =>
      toCanonicalText([flow, ...FLOW_URLS.map((url) => getNode(node, `/flows/${flow}/${url}`))]),
    );
    const identity =
      type === undefined ? name : toCanonicalText([type, place, key, String(scheme).toLowerCase(), openIdConnectUrl]);
    const label = `${String(type ?? name)} ${[scheme, key].filter((one) => typeof one === 'string').join(' ')}`.trim();
    const ownScopes = Array.isArray(scopes) ? scopes.map(String) : [];
    return [
      { label, identity, flows, flowNames },
      ...ownScopes.map((scope) => ({
        label: `scope ${scope} of ${label}`,
        identity: `scope ${scope} of ${identity}`,
        flows: [],
        flowNames: [],
      })),
    ];
  });
}

/** The properties with the URLs of a flow. */
const FLOW_URLS = ['tokenUrl', 'authorizationUrl', 'refreshUrl', 'deviceAuthorizationUrl'];

function formatRequirements(ways: readonly Requirement[], format: (need: Need) => string): string {
  return ways.map((way) => (way.length === 0 ? 'no credentials' : way.map(format).join(' and '))).join(', or ');
}
