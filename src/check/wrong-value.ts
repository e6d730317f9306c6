import { getNode } from '../openapi/document.ts';
import { parsePointer } from '../util/json-pointer.ts';
import { type CredentialNames, isSecretName, redactNamedProperties, redactSecrets } from '../util/redact-secrets.ts';

/** The maximum length of a response body in a report, in characters. */
export const MAX_BODY_LENGTH = 300;

/** The maximum length of a value in a message, in characters. */
const MAX_VALUE_LENGTH = 100;

/**
 * Returns a text such as `, but is "7"` with the wrong value of a response body that a report shows only in part.
 * Returns an empty text if the report shows the whole body, or if the value is secret.
 * `where`: the place of the value, such as `body/3/price`.
 */
export function describeWrongValue(
  { text, body }: { readonly text: string; readonly body: unknown },
  where: string,
  { properties }: Pick<CredentialNames, 'properties'>,
) {
  const pointer = where.slice('body'.length);
  if (!/^body\//.test(where) || text.length <= MAX_BODY_LENGTH || isSecretName(pointer)) return '';
  if (parsePointer(pointer).some((name) => properties.includes(name))) return '';
  const value = getNode(body, pointer);
  if (value === undefined) return '';
  const json = JSON.stringify(redactSecrets(redactNamedProperties(value, properties)));
  return `, but is ${json.length > MAX_VALUE_LENGTH ? `${json.slice(0, MAX_VALUE_LENGTH)}…` : json}`;
}
