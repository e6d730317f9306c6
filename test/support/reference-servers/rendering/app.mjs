// A server that renders a page with the data of API_URL, and also sends a request to OTHER_URL. The path selects the HTTP client.
import { createServer, get, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';

const { API_URL, OTHER_URL } = process.env;

/** Sends a request with `http.request` or `http.get`. */
function send(sendRequest, ...args) {
  return new Promise((resolve, reject) => {
    sendRequest(...args, (response) => text(response).then(resolve, reject))
      .on('error', reject)
      .end();
  });
}

const clients = {
  fetch: async (url) => (await fetch(url)).text(),
  request: (url) => send(request, url),
  get: (url) => send(get, new URL(url), { headers: { Accept: 'application/json' } }),
  options(url) {
    const { hostname, port, pathname, host } = new URL(url);
    return send(request, { hostname, port, path: pathname, headers: ['Host', host, 'Accept', '*/*'] });
  },
  'own-fetch': async (url) => (await fetch(new Request(url, { headers: { 'X-Sandbox': 'own' } }))).text(),
  'own-request': (url) => send(request, url, { headers: { 'X-SANDBOX': 'own' } }),
};

const server = createServer(async ({ url }, response) => {
  const client = clients[url.slice(1)];
  await wait(Math.random() * 10);
  await client(OTHER_URL);
  const items = JSON.parse(await client(`${API_URL}/api/cart-items`));
  response.end(String(items.reduce((units, { quantity }) => units + quantity, 0)));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`listening on ${server.address().port}\n`));
