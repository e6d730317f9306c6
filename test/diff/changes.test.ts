import { describe, expect, it } from 'vitest';
import { changesBetween } from '../../src/diff/changes.ts';
import { type Document, getNode } from '../../src/openapi/document.ts';
import { mapNodes } from '../../src/openapi/walk-schemas.ts';
import { edited } from './breaking-base.ts';
import { breakingPairs } from './breaking-pairs.ts';
import { equalPairs } from './equal-pairs.ts';
import { harmlessPairs } from './harmless-pairs.ts';

const labelledPairs = [...breakingPairs, ...harmlessPairs];

/** The labelled pairs, each with the changes that are found. */
const pairsWithChanges = labelledPairs.map((pair) => ({ ...pair, changes: changesBetween(pair.before, pair.after) }));

describe('the changes between two versions of a document', () => {
  it('are tested with at least 36 classified pairs, half of them breaking', () => {
    const breaking = labelledPairs.filter(({ isBreaking }) => isBreaking);
    expect(breaking.length).toBeGreaterThanOrEqual(18);
    expect(labelledPairs.length - breaking.length).toBeGreaterThanOrEqual(18);
  });

  it.each(pairsWithChanges)(
    'are classified as breaking: $isBreaking for $name',
    ({ changes, isBreaking, direction }) => {
      const relevant = changes.filter((change) => change.isBreaking === isBreaking);
      expect(changes.some((change) => change.isBreaking)).toBe(isBreaking);
      expect(new Set(relevant.map((change) => change.direction))).toEqual(new Set([direction]));
    },
  );

  it('have a pointer that exists in one of the versions, and an operation', () => {
    for (const { before, after, changes } of pairsWithChanges) {
      for (const change of changes) {
        const text = JSON.stringify(change);
        expect.soft(getNode(before, change.before) ?? getNode(after, change.after), text).toBeDefined();
        expect.soft(change.before, text).not.toBe('');
        expect.soft(change.operation ?? change.message, text).toMatch(/^(server|webhook|[A-Z]+) /);
      }
    }
  });

  it.each(equalPairs)('are empty for $name', ({ before, after }) => {
    expect(changesBetween(before, after)).toEqual([]);
  });

  it('are empty for a document and its copy', () => {
    for (const { name, after } of labelledPairs) {
      expect.soft(changesBetween(after, structuredClone(after)), name).toEqual([]);
    }
  });

  it('are empty if only descriptions differ', () => {
    for (const { name, after } of labelledPairs) {
      expect.soft(changesBetween(after, replaceDescriptions(after)), name).toEqual([]);
    }
  });

  it('do not depend on the order of keys', () => {
    for (const { name, before, after, changes } of pairsWithChanges) {
      const sentences = changesBetween(before, reverseKeys(after)).map(({ message }) => message);
      expect.soft(sentences.toSorted(), name).toEqual(changes.map(({ message }) => message).toSorted());
    }
  });

  it('are found in both directions', () => {
    for (const { name, before, after } of labelledPairs) {
      expect.soft(changesBetween(after, before), name).not.toEqual([]);
    }
  });

  it('have a message with operation, direction and pointer', () => {
    const after = edited({ '/components/schemas/NewItem/properties/quantity/maximum': 10 });
    expect(changesBetween(edited({}), after)).toEqual([
      {
        isBreaking: true,
        direction: 'request',
        before: '/components/schemas/NewItem/properties/quantity/maximum',
        after: '/components/schemas/NewItem/properties/quantity/maximum',
        operation: 'POST /items',
        message: 'quantity of the request can be at most 10 instead of 20',
        reason: 'requests that were valid are rejected',
      },
    ]);
  });

  it('are listed once for each operation, even if a schema is recursive', () => {
    const changes = changesBetween(edited({}), edited({ '/components/schemas/Item/properties/weight': undefined }));
    expect(changes.map(({ operation }) => operation)).toEqual(['GET /items', 'POST /items', 'GET /items/{id}']);
  });
});

/** Returns the document with the keys of each object in reverse order. */
function reverseKeys(document: Document): Document {
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(
      Object.entries(node)
        .toReversed()
        .map(([key, value]) => [key, visit(value)]),
    );
  };
  return visit(document) as Document;
}

/** Returns the document with another description of every schema, operation, response and parameter. */
function replaceDescriptions(document: Document): Document {
  return mapNodes(document, (node) =>
    'content' in node || 'schema' in node || 'type' in node || 'responses' in node
      ? { ...node, description: 'Another description' }
      : node,
  );
}
