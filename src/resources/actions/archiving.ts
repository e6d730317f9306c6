import { getNode, toNode } from '../../openapi/document.ts';
import type { Route } from '../../openapi/routes.ts';
import { locateResponse } from '../document/locate.ts';
import type { Place } from '../document/path-keys.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import type { Plan } from '../resource.ts';
import { findEffect } from './actions.ts';

/** Matches the words for a `DELETE` that keeps the entry, and captures the verb. */
const ARCHIVING = /\b(archiv|deactivat|disabl)(?:es?|ing|ed)\b/;

/** The English stems of such verbs in other languages: `Désactiver`, `Desactivar`, `Desativar`, `Deaktivieren`. */
const OTHER_LANGUAGES: readonly (readonly [verb: RegExp, stem: string])[] = [
  [/\b(?:archiver|archivar|arquivar|archiviert?|archivieren|archiviare)\b/, 'archiv'],
  [/\b(?:desactiver|desactive|desactivar|desactiva|desativar|desativa|deaktivier(?:en|t)|disattivare)\b/, 'deactivat'],
  [/\b(?:deshabilitar|deshabilita|desabilitar|desabilita|disabilitare)\b/, 'disabl'],
];

/** Matches words that leave open whether the entry is kept, such as `Delete/Archive`. */
const EITHER =
  /\b(?:delet|remov)\w*(?: ?\/ ?| or )(?:archiv|deactivat|disabl)|(?:archiv|deactivat|disabl)\w*(?: ?\/ ?| or )(?:delet|remov)/;

/**
 * Returns the plan of a `DELETE` whose summary or description says that it keeps the entry in another
 * state: `Archive a teacher` sets `status` to `archived`, and `Deactivates a user` sets `isActive` to false.
 * Returns undefined if the entry has no property for the state.
 */
export function planArchiving(reader: SchemaReader, { resource, mount }: Place, route: Route): Plan | undefined {
  const { summary = '', description = '' } = toNode(getNode(reader.document, route.pointer));
  const text = `${summary} . ${description}`.toLowerCase();
  const plain = text.normalize('NFD').replaceAll(/\p{M}/gu, '');
  const [, stem = OTHER_LANGUAGES.find(([verb]) => verb.test(plain))?.[1]] = ARCHIVING.exec(text) ?? [];
  if (
    stem === undefined ||
    EITHER.test(text) ||
    /\b(?:not|unless|if|already|only) \w*\s?(?:archiv|deactivat|disabl)/.test(text)
  )
    return undefined;
  const verb = `${stem}e`;
  const effect = findEffect(reader, resource, { ...route, method: 'POST' }, verb);
  if (!effect || effect.values.length === 0 || effect.setsBody || effect.counter || resource.kind !== 'collection')
    return undefined;
  const located = locateResponse(reader, { resource, action: 'read' }, route, {});
  const base = {
    route,
    action: 'act',
    resource,
    mount,
    requestPath: [],
    entryPath: [],
    effect,
    archives: verb,
  } as const;
  return typeof located === 'string'
    ? { ...base, responsePath: [], hidesEntry: true }
    : { ...base, responsePath: located };
}
