import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext, rootCertificates, type SecureContextOptions } from 'node:tls';
import { UserError } from '../util/issue.ts';
import { quoteShellIfNeeded } from '../util/text.ts';
import { CsrfToken } from './csrf-token.ts';
import type { CheckCommand } from './options.ts';
import { findProxy, type HttpProxy } from './proxy.ts';

/** How the check reaches a server. All clients of a check share it. */
export interface Access {
  readonly tls: SecureContextOptions & { readonly rejectUnauthorized?: boolean };
  /** Returns the proxy for a URL; undefined if there is none. */
  readonly findProxy: (server: URL) => HttpProxy | undefined;
  /** Waits until the next request may be sent. */
  readonly waitForTurn: (signal: AbortSignal | undefined) => Promise<void>;
  /** The CSRF token of the server; undefined if it needs none. */
  readonly csrf?: CsrfToken | undefined;
  /** The options with which curl reaches the server. */
  readonly curlOptions: readonly string[];
}

/** Reaches a server without options and without a proxy. */
export const DIRECT: Access = {
  tls: {},
  findProxy: () => undefined,
  waitForTurn: () => Promise.resolve(),
  curlOptions: [],
};

/** The options of a check that say how it reaches the server. */
type AccessOptions = Pick<CheckCommand, 'insecure' | 'ca' | 'cert' | 'key' | 'rate' | 'csrf'>;

/**
 * Reads the certificates of a check, and the proxies in the environment.
 * Throws a `UserError` if a certificate or the address of a proxy is invalid.
 */
export function createAccess(
  options: AccessOptions,
  environment: Readonly<Record<string, string | undefined>>,
): Access {
  const { insecure = false, ca, cert, key = cert, rate } = options;
  if (options.key !== undefined && cert === undefined)
    throw new UserError('--key needs the certificate of the client: add --cert FILE.', { reason: 'usage' });
  return {
    tls: {
      ...(insecure ? { rejectUnauthorized: false } : {}),
      ...(ca === undefined ? {} : { ca: [...rootCertificates, readPem('--ca', ca, (text) => ({ ca: text }))] }),
      ...(cert === undefined || key === undefined ? {} : readClientCertificate(cert, key)),
    },
    findProxy: (server) => findProxy(server, environment),
    waitForTurn: createPace(rate),
    csrf: options.csrf && new CsrfToken(options.csrf),
    curlOptions: [
      ...(insecure ? ['--insecure'] : []),
      ...(ca === undefined ? [] : ['--cacert', ca]),
      ...(cert === undefined ? [] : ['--cert', cert]),
      ...(options.key === undefined ? [] : ['--key', options.key]),
    ].map(quoteShellIfNeeded),
  };
}

function readClientCertificate(certPath: string, keyPath: string): SecureContextOptions {
  const cert = readPem('--cert', certPath, (text) => ({ cert: text }));
  return { cert, key: readPem('--key', keyPath, (key) => ({ cert, key })) };
}

/** Reads a PEM file. `toOptions`: returns the options of TLS with which the file can be validated. */
function readPem(option: string, path: string, toOptions: (text: string) => SecureContextOptions): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UserError(`Cannot read the file of ${option}: ${(cause as Error).message}`, { cause });
  }
  try {
    if (!text.includes('-----BEGIN ')) throw new Error('it has no PEM block');
    createSecureContext(toOptions(text));
    return text;
  } catch (cause) {
    const { message } = cause as Error;
    throw new UserError(`Invalid file of ${option}: ${path}: ${message}. Use a PEM file without a passphrase.`, {
      cause,
    });
  }
}

/** Creates a function that waits until the next request may be sent, for at most `rate` requests in a second. */
function createPace(rate: number | undefined): Access['waitForTurn'] {
  if (rate === undefined) return DIRECT.waitForTurn;
  const gapMs = 1_000 / rate;
  let nextMs = 0;
  return async (signal) => {
    const turnMs = Math.max(performance.now(), nextMs);
    nextMs = turnMs + gapMs;
    const waitMs = turnMs - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, signal ? { signal } : {});
  };
}
