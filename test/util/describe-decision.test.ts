import { describe, expect, it } from 'vitest';
import { describeDecision, describeHandling } from '../../src/util/describe-decision.ts';

describe('the words for what determined a response', () => {
  it.each([
    [{ source: 'handler' }, 'real'],
    [{ source: 'cache' }, 'real: cached'],
    [{ source: 'user-handler' }, 'your handler'],
    [{ source: 'mock', example: 'emptyList' }, 'mocked: example emptyList'],
    [{ source: 'preference', example: 'emptyList' }, 'mocked: Prefer header, example emptyList'],
    [{ source: 'handler', faults: ['f1'] }, 'real, fault f1'],
    [{ source: 'fault', faults: ['f1', 'f2'] }, 'fault f1, f2'],
    [{ source: 'fault' }, 'fault'],
  ] as const)('of %j are %s', (decision, text) => {
    expect(describeDecision(decision)).toBe(text);
  });

  it('are the words for operations, too', () => {
    expect(describeHandling(false, 'lists pets')).toBe('real: lists pets');
    expect(describeHandling(true, 'by the option mock')).toBe('mocked: by the option mock');
    expect(describeHandling(false, 'your handler')).toBe('your handler');
  });
});
