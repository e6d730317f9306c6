import type { RuleName } from '../../../../src/check/rules.ts';
import type { Api, ApiDefect, ApiHabit } from './api.ts';
import type { PlantedApi } from './planted-api.ts';
import { startApiServer, type Variant } from './server.ts';

/** The rule that each defect violates. */
const API_DEFECTS: Readonly<Record<ApiDefect, RuleName>> = {
  'pages overlap': 'page-selection',
  'a page has one entry too many': 'page-size',
  'the total is that of the page': 'page-total',
  'a filter is ignored': 'filter-selects',
  'a filter compares prefixes': 'filter-selects',
  'a filter finds nothing': 'filter-finds',
  'a filter is lost on the next page': 'filter-selects',
  'PUT does not check the unique property': 'unique-update',
  'concurrent requests create the unique value twice': 'unique-concurrent',
  'a new resource overwrites one with the same unique value': 'create-overwrites',
  'a conflict is a 500': 'server-error',
  'PUT keeps what was left out': 'put-replaces',
  'PATCH resets what it does not have': 'patch-keeps',
  'null is ignored': 'null-removes',
  'texts are cut at 100 characters': 'long-text',
  'texts are stored as Latin-1': 'text-letters',
  'texts are stored with HTML escapes': 'text-escapes',
  'a date is a day early': 'stored-value',
  'lists inside are lost': 'stored-value',
  'a property is not stored': 'stored-value',
  'an updated property is not stored': 'stored-value',
  'the list is stale after a change': 'list-current',
  'the list lacks new resources': 'created-listed',
  'If-Match is ignored': 'if-match',
  'the ETag never changes': 'etag-changes',
  'If-Match is not required': 'if-match-required',
  'missing credentials are accepted': 'credentials-required',
  'a changed token is accepted': 'credentials-required',
  'the 401 has another media type': 'refusal-schema',
  'an action stores nothing': 'stored-change',
  'an action ignores the status': 'action-refused',
  'Location points nowhere': 'location',
  'an unknown id gets 200': 'unknown-id',
  'ids are compared by prefix': 'unknown-id',
  '30 February is accepted': 'invalid-refused',
  'fractions of a cent are accepted': 'invalid-refused',
  'nothing is created': 'created-readable',
  'nothing is deleted': 'deleted-readable',
  'deleted resources stay in the list': 'deleted-listed',
  'connections are unusable after a 400': 'usable-connection',
  'the charset lies': 'charset',
};

/** The description that each habit needs, for operations of a method. */
const DESCRIPTIONS: { readonly [Habit in ApiHabit]?: readonly [method: string, text: string] } = {
  'lists 4 s late, as documented': ['get', 'The list can be up to 5 seconds late.'],
  'updates partially with PUT, as documented': ['put', 'Changes only the given properties.'],
};

const API_HABITS: readonly ApiHabit[] = [
  'refuses rules with 400',
  'trims texts',
  'folds the case',
  'deletes softly',
  'lists 200 ms late',
  'lists 4 s late, as documented',
  'responds after 20 ms',
  'limits the rate',
  'compresses with gzip',
  'closes each connection',
  'sets defaults that are not documented',
  'finds parts of texts',
  'creates with PUT',
  'has a quota',
  'has weak ETags',
  'updates partially with PUT, as documented',
];

type Item = Readonly<Record<string, { readonly responses?: Readonly<Record<string, object>> }>>;

/** Returns the document of an API with what a habit needs. */
function describeHabit(api: Api, variant: Variant): object {
  const [method, description] = DESCRIPTIONS[variant as ApiHabit] ?? [];
  const createsWithPut = variant === 'creates with PUT';
  const items = Object.entries(api.document.paths as Readonly<Record<string, Item>>).map(([path, item]) => {
    const operations = Object.entries(item).map(([name, operation]) => {
      const { responses } = operation;
      const created = name === 'put' && createsWithPut ? { '201': responses?.['200'] } : {};
      const text = name === method ? { description } : {};
      return [name, { ...operation, ...text, responses: { ...responses, ...created } }];
    });
    return [path, Object.fromEntries(operations)];
  });
  return { ...api.document, paths: Object.fromEntries(items) };
}

/** Returns the variants of an API. */
export function createPlantedApi(name: string, api: Api): PlantedApi<ApiDefect, ApiHabit> {
  return {
    name,
    headers: api.headers,
    defects: API_DEFECTS,
    habits: API_HABITS,
    describe: (variant) => describeHabit(api, variant),
    start: (variant) => startApiServer(api, variant),
  };
}
