// The server of app.mjs as a CommonJS module.
const { createServer, request } = require('node:http');

const { API_URL, OTHER_URL } = process.env;

const clients = {
  fetch: async (url) => (await fetch(url)).text(),
  request: (url) =>
    new Promise((resolve, reject) => {
      request(url, (response) => {
        let text = '';
        response.on('data', (part) => (text += part)).on('end', () => resolve(text));
      })
        .on('error', reject)
        .end();
    }),
};

const server = createServer(async ({ url }, response) => {
  const client = clients[url.slice(1)];
  await client(OTHER_URL);
  const items = JSON.parse(await client(`${API_URL}/api/cart-items`));
  response.end(String(items.reduce((units, { quantity }) => units + quantity, 0)));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`listening on ${server.address().port}\n`));
