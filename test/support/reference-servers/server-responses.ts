import { channel } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';

/** The state of the responses that HTTP servers of this process send. */
export interface WatchedResponses {
  /** Returns the number of bytes that the server has not sent yet to a client. `clientPort`: the local port of the client's connection. */
  queuedBytes(clientPort: number | undefined): number;
  /** Returns the number of requests of a client that do not have a complete response yet. `clientPort`: the local port of the client's connection. */
  openRequests(clientPort: number | undefined): number;
}

/** Starts to record the responses of all HTTP servers in this process, until the test ends. Uses the diagnostics channels of Node.js. */
export function watchResponses(): WatchedResponses {
  const responses: { readonly response: ServerResponse; readonly port: number | undefined }[] = [];
  const starts = channel('http.server.request.start');
  const onStart = (message: unknown) => {
    const { response } = message as { readonly response: ServerResponse };
    responses.push({ response, port: response.req.socket.remotePort });
  };
  starts.subscribe(onStart);
  onTestFinished(() => void starts.unsubscribe(onStart));
  const open = (clientPort: number | undefined) =>
    responses.filter(({ port, response }) => port === clientPort && !response.destroyed && !response.writableFinished);
  return {
    queuedBytes: (clientPort) => open(clientPort).reduce((sum, { response }) => sum + response.writableLength, 0),
    openRequests: (clientPort) => open(clientPort).length,
  };
}
