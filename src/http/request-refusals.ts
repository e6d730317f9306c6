import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AccessPolicy } from './access-policy.ts';
import { type Connections, runAfterResponse } from './connections.ts';
import { corsHeaders } from './cors.ts';
import { createMethodNotAllowed, getProblemKind, type HttpProblem } from './problem.ts';
import {
  type ClientError,
  getPath,
  requesterOf,
  sendProblem,
  sendRawProblem,
  toClientProblem,
} from './raw-responses.ts';
import { type Log, logRequest } from './request-log.ts';

/** What is refused beside the app: each is answered with a problem document and has its line of log. */
export interface RequestRefusals {
  request(req: IncomingMessage, res: ServerResponse, fault: HttpProblem): void;
  /** What Node's parser or timers complain of. */
  clientError(error: ClientError, socket: Duplex): void;
  /** An `Expect` header that isn't 100-continue. */
  expectation(req: IncomingMessage, res: ServerResponse): void;
  /** A CONNECT. */
  tunnel(socket: Duplex): void;
}

/** What the interface has methods of. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'];

/** Refuses what never reaches the app. */
export function createRequestRefusals(connections: Connections, log: Log, access: AccessPolicy): RequestRefusals {
  function request(req: IncomingMessage, res: ServerResponse, fault: HttpProblem): void {
    logRequest(log, req, res, () => ({ notes: [fault.detail] }));
    sendProblem(req, res, fault, access);
  }

  function raw(socket: Duplex, fault: HttpProblem, error: ClientError): void {
    const path = getPath(error);
    log.info({ path, status: getProblemKind(fault).status, notes: [fault.detail] });
    sendRawProblem(socket, fault, { path, cors: corsHeaders(access, { ...requesterOf(error), path }) });
  }

  return {
    request,
    clientError(error, socket) {
      const fault = toClientProblem(error);
      const response = connections.lastOf(socket);
      if (!fault || !socket.writable) socket.destroy();
      else if (!response) raw(socket, fault, error);
      // What is wrong came after a request that was received whole: that one is answered first.
      else if (response.req.complete) runAfterResponse(response, () => raw(socket, fault, error));
      // What is wrong is in the body of a request: it is told so unless its answer has begun.
      else if (response.headersSent) socket.destroy();
      else sendProblem(response.req, response, fault, access);
    },
    expectation(req, res) {
      const detail = `the expectation ${JSON.stringify(req.headers.expect)} is not understood: send 100-continue or none`;
      request(req, res, { code: 'expectation-failed', detail });
    },
    tunnel(socket) {
      socket.on('error', () => socket.destroy());
      raw(socket, createMethodNotAllowed('CONNECT', 'a server that is no proxy', METHODS), new Error('CONNECT'));
    },
  };
}
