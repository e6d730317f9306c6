import { channel } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';

/** The responses that servers of this process have begun, from now to the end of the test. */
export interface WatchedResponses {
  /** How many bytes wait to be sent to one client port at most: in responses and in sockets. */
  queuedBytes(clientPort: number | undefined): number;
  /** How many requests of one client port have been read and not been answered to the end. */
  openRequests(clientPort: number | undefined): number;
}

/** Watches the responses of all HTTP servers of this process, as Node announces them. */
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
