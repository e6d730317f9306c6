import { BaseSequencer, type TestSequencerConstructor, type TestSpecification } from 'vitest/node';

/**
 * Returns a sequencer that starts some test files first, because they take longest.
 * Started last, they would run alone at the end. Vitest itself knows their durations only if it has run them before.
 * `names`: their paths below `test`, without `.test.ts`.
 */
export function startFirst(names: readonly string[]): TestSequencerConstructor {
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const sorted = await super.sort(files);
      const first = names.flatMap((name) =>
        sorted.filter(({ moduleId }) => moduleId.endsWith(`/test/${name}.test.ts`)),
      );
      return [...first, ...sorted.filter((file) => !first.includes(file))];
    }
  };
}
