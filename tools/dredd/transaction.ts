import { toCurl } from '../../src/check/exchange.ts';
import { redactText } from '../../src/util/redact-secrets.ts';
import type { DreddRequest, DreddResult, GavelError } from './dredd-result.ts';

/** The test of one documented response. */
export interface DreddTransaction {
  /** The operationId; undefined if the path does not support the method. */
  readonly operationId: string | undefined;
  /** The HTTP method in upper case. */
  readonly method: string;
  /** The path template. */
  readonly path: string;
  /** The expected status. */
  readonly status: number;
  readonly isPassed: boolean;
  /** The reason of the failure, a sentence; empty if the transaction passed. */
  readonly failure: string;
  /** Shell commands that repeat the requests, without secrets; undefined if no request was sent. */
  readonly curl?: string;
  /** Status, content type and body of the response; undefined if there was no response. */
  readonly response?: string;
}

/** The maximum length of a body in the report, in characters. */
const MAX_BODY_LENGTH = 2_000;

/** Converts a result of dredd to a transaction. `url`: the URL of the server. */
export function toTransaction(url: string, { outcome, test }: DreddResult): DreddTransaction {
  const { actionName, exampleName, operationId, before } = test.origin;
  const [method = '', path = ''] = actionName.split(' ');
  const { request, actual } = test;
  const status = Number.parseInt(exampleName, 10);
  const requests = before && request && [...before, { ...request, path: request.uri }];
  const body = redactText((actual?.body ?? '').slice(0, MAX_BODY_LENGTH));
  return {
    operationId,
    method,
    path,
    status,
    isPassed: outcome === 'pass',
    failure: outcome === 'pass' ? '' : describeFailure(status, test),
    ...(requests ? { curl: requests.map((sent) => formatRequest(url, sent)).join(' && ') } : {}),
    ...(actual ? { response: `${actual.statusCode} ${actual.headers['content-type'] ?? ''}\n${body}`.trim() } : {}),
  };
}

function formatRequest(url: string, { method, path, headers = {}, body = '' }: DreddRequest): string {
  const ownHeaders = Object.entries(headers).filter(([name]) => !/^(user-agent|content-length)$/i.test(name));
  return toCurl(url.replace(/\/+$/, ''), {
    method,
    target: path,
    headers: Object.fromEntries(ownHeaders),
    ...(body === '' ? {} : { body }),
    ...(/^ +$/.test(body) ? { printCommand: `printf '%${body.length}s' ''` } : {}),
  });
}

function describeFailure(status: number, { message, actual, results }: DreddResult['test']): string {
  if (actual && Number(actual.statusCode) !== status) return `Status ${actual.statusCode} instead of ${status}`;
  const errors = Object.entries(results?.fields ?? {}).flatMap(([part, field]) =>
    field.errors.map((error) => `${part}: ${formatError(error)}`),
  );
  return errors.length > 0 ? errors.join('; ') : message.replace(/^Failed in \w+ hook: /, '');
}

function formatError({ message, location }: GavelError): string {
  const { pointer = '' } = location ?? {};
  return message.includes(pointer) ? message : `${message}, at ${pointer}`;
}
