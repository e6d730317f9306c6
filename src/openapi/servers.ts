import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { isNode, type Node, toNode } from './document.ts';

/** The maximum number of paths of one server whose URL has variables. */
const MAX_PATHS = 20;

/**
 * Returns the paths of servers (Server Object, `url`), such as `/v1` for `https://api.example.com/v1`, without duplicates and without a slash at the end. A
 * server without a path is left out. A URL with a variable has a path for the default value, and one for each value in the `enum`.
 */
export function getServerPaths(servers: unknown): readonly string[] {
  const paths = (Array.isArray(servers) ? servers : []).flatMap((server) => getPaths(toNode(server)));
  return [...new Set(paths.filter((path) => path !== ''))];
}

function getPaths({ url, variables }: Node): readonly string[] {
  if (typeof url !== 'string') return [];
  const template = url.replace(/^([a-z][\w+.-]*:)?\/\/[^/?#]*/i, '').replace(/[?#].*/, '');
  return expandVariables(template, toNode(variables)).flatMap((path) => {
    const pathname = tryOrUndefined(() => new URL(path, 'http://localhost/').pathname);
    return pathname === undefined ? [] : [pathname.replace(/\/+$/, '')];
  });
}

/**
 * Returns a path for each combination of values of the variables in a path template. Returns an empty array if a variable is not defined, or has only
 * placeholders such as `{id}` as its values.
 */
function expandVariables(template: string, variables: Node): readonly string[] {
  const [text, name = ''] = /\{([^{}]*)\}/.exec(template) ?? [];
  if (text === undefined) return [template];
  const variable = variables[name];
  if (!isNode(variable)) return [];
  const [before = '', ...rest] = template.split(text);
  const ends = expandVariables(rest.join(text), variables);
  const values = new Set([variable.default, ...(Array.isArray(variable.enum) ? variable.enum : [])].map(String));
  const paths = [...values]
    .filter((value) => !value.includes('{'))
    .flatMap((value) => ends.map((end) => before + value + end));
  return paths.slice(0, MAX_PATHS);
}
