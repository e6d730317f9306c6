import { type Document, getNode, isNode, type Node } from '../openapi/document.ts';
import { getSchemePointer } from '../openapi/security.ts';
import type { Delta } from './change.ts';
import { type Operation, resolveNode } from './operation.ts';
import { toCanonicalText } from './schema-parts.ts';

/** A security requirement: the credentials that a request needs together. */
type Requirement = ReadonlySet<string>;

/** Returns the changes of the security requirements of an operation. */
export function securityChanges(before: Operation, after: Operation): readonly Delta[] {
  const [old, now] = [getRequirements(before), getRequirements(after)];
  // Credentials that satisfied an older requirement must satisfy at least one newer requirement.
  const shut = old.filter((way) => !now.some((other) => [...other].every((need) => way.has(need))));
  const opened = now.filter((way) => !old.some((other) => [...other].every((need) => way.has(need))));
  if (shut.length === 0 && opened.length === 0) return [];
  const message = `the request needs ${formatRequirements(now)} instead of ${formatRequirements(old)}`;
  return [
    { effect: shut.length > 0 ? 'narrower' : 'wider', before: getPointer(before), after: getPointer(after), message },
  ];
}

function getPointer({ document, node, pointer }: Operation): string {
  if (node.security !== undefined) return `${pointer}/security`;
  return document.security === undefined ? pointer : '/security';
}

function getRequirements({ document, node }: Operation): readonly Requirement[] {
  const list = node.security ?? document.security;
  const ways = Array.isArray(list) ? list.filter(isNode) : [];
  return ways.length === 0 ? [new Set()] : ways.map((way) => toRequirement(document, way));
}

/**
 * Returns the credentials of a security requirement as texts.
 * The texts do not contain the names of the security schemes, which clients do not send.
 */
function toRequirement(document: Document, way: Node): Requirement {
  return new Set(
    Object.entries(way).flatMap(([name, scopes]) => {
      const { node } = resolveNode(document, getSchemePointer(document, name));
      const { type, in: place, name: key, scheme, openIdConnectUrl } = node;
      const flows = Object.keys(isNode(node.flows) ? node.flows : {}).toSorted();
      const urls = flows.map((flow) => [
        flow,
        getNode(node, `/flows/${flow}/tokenUrl`),
        getNode(node, `/flows/${flow}/authorizationUrl`),
        getNode(node, `/flows/${flow}/refreshUrl`),
        ...[getNode(node, `/flows/${flow}/deviceAuthorizationUrl`)].filter(Boolean),
      ]);
      const identity =
        type === undefined
          ? name
          : toCanonicalText([type, place, key, String(scheme).toLowerCase(), openIdConnectUrl, urls]);
      const label =
        `${String(type ?? name)} ${[scheme, key].filter((one) => typeof one === 'string').join(' ')}`.trim();
      return [
        `${label}\n${identity}`,
        ...(Array.isArray(scopes) ? scopes.map((scope) => `scope ${scope} of ${label}\n${identity}`) : []),
      ];
    }),
  );
}

function formatRequirements(ways: readonly Requirement[]): string {
  return ways
    .map((way) =>
      way.size === 0 ? 'no credentials' : [...way].map((need) => need.slice(0, need.indexOf('\n'))).join(' and '),
    )
    .join(', or ');
}
