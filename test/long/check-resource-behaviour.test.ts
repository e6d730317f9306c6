import { expect, it } from 'vitest';
import { BEHAVIOUR_FINDINGS, findBehaviourDefects } from '../support/planted-defects/resource-behaviour-defects.ts';

it.each([1, 2])(
  'with the seed %d, the check finds a defect of each kind, and none in correct resources',
  async (seed) => {
    expect(await findBehaviourDefects(seed)).toEqual(BEHAVIOUR_FINDINGS);
  },
);
