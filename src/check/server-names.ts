import type { Route } from '../openapi/routes.ts';
import { normalizeName } from '../util/names.ts';

/** Normalized names of properties that servers set or hide, even if the contract does not say so. */
const SERVER_NAMES =
  /^(id|uid|uuid|guid|etag|rev|self|href|links?|timestamp|.*(created|updated|modified|deleted|changed|inserted)(at|on|by|date|time|timestamp)?|.*(password|passwd|secret|token|pin|cvv|cvc))$/;

/** Normalized names of optional properties that servers often set or calculate. */
const OPTIONAL_SERVER_NAMES =
  /^(status|state|version|revision|owner|author|user|tenant|slug|ur[il]|number|position|rank|score|balance|(sub)?total.*|.*total|.*(?<!dis|ac)count|average.*)$/;

/** Returns whether servers often set a property themselves, as its name shows. */
export function isServerName({ pathNames }: Route, name: string, isRequired: boolean): boolean {
  const key = normalizeName(name);
  if (SERVER_NAMES.test(key) || pathNames.some((one) => normalizeName(one) === key)) return true;
  return !isRequired && OPTIONAL_SERVER_NAMES.test(key);
}
