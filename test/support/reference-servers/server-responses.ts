import { channel } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';

/** The responses that servers of this process start until the test ends. */
export interface WatchedResponses {
  /** Returns the number of bytes that wait to be sent to a client port, in responses and sockets. */
  queuedBytes(clientPort: number | undefined): number;
  /** Returns the number of requests from a client port that are read and not completely answered. */
  openRequests(clientPort: number | undefined): number;
}

/** Records the responses of all HTTP servers of this process through the diagnostics channels of Node.js. */
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
