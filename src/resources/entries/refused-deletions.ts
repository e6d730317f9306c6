import type { Input } from '../../application.ts';
import { getNode, toNode } from '../../openapi/document.ts';
import type { Entry } from '../../store/state.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName, removeAccents, splitWords } from '../../util/names.ts';
import { findNames, listSentences, namesEntries, readResponseText } from '../document/document-texts.ts';
import type { Plan, Resource } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { listChildren } from './entries.ts';
import { getOwn } from './entry-values.ts';

/** Matches sentences about when a deletion is possible: `Only projects without tasks can be deleted`. */
const CONDITION =
  /\b(?:only|unless|if|when|while|until|cannot|must|no|not|without|still|fails?|refuse[sd]?|reject(?:s|ed)?|empty)\b|n't\b/i;

/** Matches sentences that say that other entries are deleted too: `Deletes a project and all its tasks`. */
const CASCADE =
  /\b(?:and|with|including|along|also|as well as)\s+(?:all|its|their|the|every|deletes?|removes?)\b|\bcascad/i;

/** Matches the word for a list without entries, in the languages in which documents are often written. */
const EMPTY = /\b(?:non|not)?-?(?:empty|vides?|leer|leeg|vaci[oa]s?|vazi[oa]s?|vuot[oaie])\b/i;

/** Matches sentences about an empty body of a request or a response. */
const EMPTY_BODY = /\b(?:body|response|content|string|value|payload|field|name|returns?)\b/i;

/** Entries below an entry that block its deletion. `state`: the only state in which they block it. */
export interface Blocking {
  readonly child: Resource;
  readonly state: { readonly property: string; readonly value: string } | undefined;
}

/**
 * Returns which entries below the path of an entry block its deletion, instead of being deleted with it: those that
 * the 409 of the operation names, or a condition in its text, and all of them if the entry must be empty.
 */
export const listBlocking = memoizeByObject((model: ResourceModel) =>
  memoizeByObject((plan: Plan): readonly Blocking[] => {
    const { reader } = model;
    const { route, resource } = plan;
    if (!route.responses.some(({ name }) => name === '409')) return [];
    const { summary = '', description = '' } = toNode(getNode(reader.document, route.pointer));
    const own = listSentences(removeAccents(`${summary}\n\n${description}`)).filter(
      (sentence) => CONDITION.test(sentence) && !CASCADE.test(sentence),
    );
    const conflict = listSentences(readResponseText(reader, route, '409'));
    const isEmpty = (sentence: string) => EMPTY.test(sentence) && !EMPTY_BODY.test(sentence);
    const needsEmpty =
      conflict.some(isEmpty) || own.some((sentence) => isEmpty(sentence) && namesEntries(sentence, resource));
    const sentences = [...conflict, ...own].map(splitWords);
    const direct = listBelow(model, resource);
    return listAllBelow(model, resource).flatMap((child): readonly Blocking[] => {
      const named = sentences.flatMap((words) => findNames(words, child).map((place) => words[place - 1]));
      if (needsEmpty && child.kind === 'collection' && direct.includes(child)) return [{ child, state: undefined }];
      if (named.length === 0) return [];
      const states = named.map((word) => findState(model, child, word));
      return [{ child, state: states.every((one) => one) ? states[0] : undefined }];
    });
  }),
);

/** Returns the resources whose entries are deleted with the entry above. */
function listBelow({ inference }: ResourceModel, resource: Resource): readonly Resource[] {
  const names = listChildren(inference, resource).flatMap((one) => (one.isDeleted ? one.name : []));
  return inference.resources.filter(({ name }) => names.includes(name));
}

function listAllBelow(model: ResourceModel, resource: Resource): readonly Resource[] {
  const found = new Set<Resource>();
  const add = (above: Resource) => {
    for (const child of listBelow(model, above)) {
      if (found.has(child) || child === resource) continue;
      found.add(child);
      add(child);
    }
  };
  add(resource);
  return [...found];
}

/** Returns the state of entries that a word before their name says: `status: 'active'` for `active tasks`. */
function findState({ reader }: ResourceModel, { schema }: Resource, word = ''): Blocking['state'] {
  const found = [...reader.getProperties(schema)].flatMap(([property, pointer]) => {
    const values = reader.getKeyword(pointer, 'enum');
    const value = Array.isArray(values) ? values.find((one) => normalizeName(String(one)) === word) : undefined;
    return typeof value === 'string' ? [{ property, value }] : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

/** Returns whether an entry is in the only state in which it blocks the deletion of the one above. */
export function isBlocking({ state }: Blocking, entry: Entry): boolean {
  return state === undefined || getOwn(entry, state.property) === state.value;
}

/** Matches the names of query parameters with which an entry is deleted with what blocks its deletion. */
const FORCE = /^(?:force|forced|forcedelete|cascade|recursive)$/;

/** Returns whether a request deletes an entry together with what blocks its deletion: `?force=true`. */
export function isForced({ route }: Plan, query: Input['query']): boolean {
  const names = route.parameters.flatMap((one) => (one.in === 'query' ? [one.name] : []));
  return names.some((name) => FORCE.test(normalizeName(name)) && [query[name]].flat().map(String).includes('true'));
}

/** Describes the entries that block a deletion: `tasks`, or `tasks (status active)`. */
export function describeBlocking({ child, state }: Blocking): string {
  return state ? `${child.name} (${state.property} ${state.value})` : child.name;
}
