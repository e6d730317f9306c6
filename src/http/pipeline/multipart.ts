import type * as FastifyBusboy from '@fastify/busboy';
import { nestFields } from '../../openapi/form-body.ts';
import { isJsonType } from '../../openapi/media-types.ts';
import { MAX_JSON_VALUES } from '../../util/json-limits.ts';
import { MAX_BODY_BYTES } from '../../util/limits.ts';
import { loadPackage } from '../../util/load-package.ts';
import { HttpProblemError } from '../problem.ts';

/**
 * Parses the body of a `multipart/form-data` request (RFC 7578). A file becomes a `data:` URL (RFC 2397) with its media type, name and size:
 * `data:image/png;name=cat.png;size=68;base64,iVBO…`. Decision: the URL of a file of more than 100 kB has no content, because the state would be too large. A
 * JSON part without a file name stays text.
 */
export function parseMultipart(body: Buffer, contentType: string): Promise<unknown> {
  const { Busboy } = loadPackage<typeof FastifyBusboy>('@fastify/busboy');
  return new Promise((resolve, reject) => {
    const fields: (readonly [name: string, value: string])[] = [];
    const parser = new Busboy({
      headers: { 'content-type': contentType },
      limits: { parts: MAX_PARTS, fieldSize: Number.POSITIVE_INFINITY },
    });
    parser.on('field', (name, value) => fields.push([name, value]));
    parser.on('file', (name, stream, fileName, _encoding, type) => {
      // Reserves the position of the field, because the content arrives later.
      const index = fields.push([name, '']) - 1;
      const chunks: Buffer[] = [];
      stream.on('error', reject);
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        fields[index] = [name, formatFile(fileName, type, Buffer.concat(chunks))];
      });
    });
    parser.on('partsLimit', () => {
      const detail = `the body has more than ${MAX_PARTS} parts: send fewer fields and files`;
      reject(new HttpProblemError({ code: 'body-too-large', detail }));
    });
    parser.on('error', reject);
    parser.on('finish', () => resolve(nestFields(fields)));
    parser.end(body);
  });
}

/** The maximum number of parts (fields and files) in a body. */
const MAX_PARTS = Math.min(1_000, MAX_JSON_VALUES);

/** The file name that a browser sends for a `Blob` without a name. */
const BLOB_NAME = 'blob';

function formatFile(name: string | undefined, type: string, content: Buffer): string {
  const isNamed = name !== undefined && name !== '' && name !== BLOB_NAME;
  if (!isNamed && isJsonType(type)) return content.toString();
  const parameters = [type, ...(isNamed ? [`name=${encodeURIComponent(name)}`] : []), `size=${content.length}`];
  const base64 = content.length > MAX_BODY_BYTES ? '' : content.toString('base64');
  return `data:${parameters.join(';')};base64,${base64}`;
}
