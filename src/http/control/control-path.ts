/** The path of the control API's document. */
export const CONTROL_DOCUMENT_PATH = '/_control/openapi.yaml';

/** The path of readiness, which is open to everyone. */
export const HEALTH_PATH = '/_control/health';

const ROOT = '/_control';

/** Whether a path belongs to the control API, which pages of other origins cannot read. */
export function isControlPath(path: string): boolean {
  return path.startsWith(ROOT) && (path.length === ROOT.length || path[ROOT.length] === '/') && path !== HEALTH_PATH;
}
