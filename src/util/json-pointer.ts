/** Formats property names and array indexes as a JSON Pointer (RFC 6901). */
export function formatPointer(...steps: readonly (string | number)[]): string {
  let pointer = '';
  for (const step of steps) pointer += `/${escapeStep(String(step))}`;
  return pointer;
}

function escapeStep(step: string): string {
  return /[~/]/.test(step) ? step.replaceAll('~', '~0').replaceAll('/', '~1') : step;
}

/** Splits a JSON Pointer into property names and array indexes, and decodes their escapes. */
export function parsePointer(pointer: string): readonly string[] {
  const steps = pointer.split('/').slice(1);
  return pointer.includes('~') ? steps.map(decodeStep) : steps;
}

/** Decodes the escapes in one step of a JSON Pointer. */
export function decodeStep(step: string): string {
  return step.includes('~') ? step.replaceAll('~1', '/').replaceAll('~0', '~') : step;
}
