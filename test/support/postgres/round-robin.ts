import { createServer, request, type Server } from 'node:http';

/** Creates a proxy that sends requests to several servers in turn. `ports`: the loopback ports of the servers. */
export function createRoundRobin(ports: readonly number[]): Server {
  let sent = 0;
  return createServer((received, response) => {
    const { method, url, headers } = received;
    const options = { host: '127.0.0.1', port: ports[sent++ % ports.length], method, path: url, headers };
    const forwarded = request(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    // The server has not started yet, or the server or the client has closed the connection.
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    received.pipe(forwarded);
  });
}
