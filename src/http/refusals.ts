import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { afterwards, type Connections } from './connections.ts';
import { type Log, logRequest } from './log.ts';
import { type Fault, methodNotAllowed, problemKinds } from './problem.ts';
import { answerBeside, answerRaw, type ClientError, faultOfClientError, originOf, pathOf } from './raw-answers.ts';

/** What is refused beside the app: each is answered with a problem document and has its line of log. */
export interface Refusals {
  request(req: IncomingMessage, res: ServerResponse, fault: Fault): void;
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
export function createRefusals(connections: Connections, log: Log): Refusals {
  function request(req: IncomingMessage, res: ServerResponse, fault: Fault): void {
    logRequest(log, req, res, () => ({ notes: [fault.detail] }));
    answerBeside(req, res, fault);
  }

  function raw(socket: Duplex, fault: Fault, error: ClientError): void {
    const path = pathOf(error);
    log.info({ path, status: problemKinds[fault.code].status, notes: [fault.detail] });
    answerRaw(socket, fault, { path, origin: originOf(error) });
  }

  return {
    request,
    clientError(error, socket) {
      const fault = faultOfClientError(error);
      const response = connections.lastOf(socket);
      if (!fault || !socket.writable) socket.destroy();
      else if (!response) raw(socket, fault, error);
      // What is wrong came after a request that was received whole: that one is answered first.
      else if (response.req.complete) afterwards(response, () => raw(socket, fault, error));
      // What is wrong is in the body of a request: it is told so unless its answer has begun.
      else if (response.headersSent) socket.destroy();
      else answerBeside(response.req, response, fault);
    },
    expectation(req, res) {
      const detail = `the expectation ${JSON.stringify(req.headers.expect)} is not understood: send 100-continue or none`;
      request(req, res, { code: 'expectation-failed', detail });
    },
    tunnel(socket) {
      socket.on('error', () => socket.destroy());
      raw(socket, methodNotAllowed('CONNECT', 'a server that is no proxy', METHODS), new Error('CONNECT'));
    },
  };
}
