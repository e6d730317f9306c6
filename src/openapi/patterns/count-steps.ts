import type { AST } from '@eslint-community/regexpp';

/** Limits of the work of a backtracking engine for a part of a pattern, from one position in a text. */
interface Work {
  /** The number of ways in which the part can match. What follows is tried for each way. */
  readonly ways: number;
  readonly steps: number;
}

/**
 * Returns an upper bound of the steps that a backtracking engine needs to test a text with a pattern. `length`: the length of the text, in characters.
 */
export function countSteps(tree: AST.Pattern, length: number): number {
  const { ways, steps } = alternate(tree.alternatives, length);
  const starts = tree.alternatives.every(isAnchored) ? 1 : length + 1;
  return starts * (ways + steps) + length;
}

function isAnchored({ elements: [first] }: AST.Alternative): boolean {
  return first?.type === 'Assertion' && first.kind === 'start';
}

function alternate(alternatives: readonly AST.Alternative[], length: number): Work {
  const parts = alternatives.map(({ elements }) => follow(elements, length));
  return {
    ways: parts.reduce((sum, { ways }) => sum + ways, 0),
    steps: parts.reduce((sum, { steps }) => sum + steps, 1),
  };
}

function follow(elements: readonly AST.Element[], length: number): Work {
  return elements.reduce<Work>(
    ({ ways, steps }, element) => {
      const next = measure(element, length);
      return { ways: ways * next.ways, steps: steps + ways * next.steps };
    },
    { ways: 1, steps: 0 },
  );
}

function measure(node: AST.Element, length: number): Work {
  switch (node.type) {
    case 'Group':
    case 'CapturingGroup':
      return alternate(node.alternatives, length);
    case 'Quantifier': {
      // Beyond its minimum, the engine stops after a repetition that matches an empty text.
      const most = Math.min(node.max, length + 1 + (CHARACTERS.has(node.element.type) ? 0 : node.min));
      return repeat(measure(node.element, length), node.min, most);
    }
    case 'Assertion':
      // The engine does not try other ways to match a lookaround assertion.
      return 'alternatives' in node
        ? { ways: 1, steps: 1 + alternate(node.alternatives, length).steps }
        : { ways: 1, steps: 1 };
    case 'Backreference':
      return { ways: 1, steps: 1 + length };
    default:
      return { ways: 1, steps: 1 };
  }
}

/** The types of the parts that never match an empty text. */
const CHARACTERS: ReadonlySet<string> = new Set(['Character', 'CharacterClass', 'CharacterSet']);

/** The maximum number of repetitions that are added up. Above, the work counts as unlimited. */
const MAX_ADDED = 10_000;

function repeat({ ways, steps }: Work, min: number, most: number): Work {
  if (ways <= 1) return { ways: Math.max(0, most - min + 1), steps: (most + 1) * (steps + 1) };
  let all: Work = { ways: min === 0 ? 1 : 0, steps: 0 };
  for (let count = 1, power = 1; count <= most; count++) {
    all = { ways: all.ways, steps: all.steps + power * (steps + 1) };
    power *= ways;
    if (count >= min) all = { ...all, ways: all.ways + power };
    if (count > MAX_ADDED || all.steps === Number.POSITIVE_INFINITY) return UNLIMITED;
  }
  return all;
}

const UNLIMITED: Work = { ways: Number.POSITIVE_INFINITY, steps: Number.POSITIVE_INFINITY };
