import { defineConfig } from 'storefront';

export default defineConfig({
  check: {
    credentials: {
      apiKey: process.env.API_KEY ?? 'local-key',
      async oauth({ send, environment, scopes }) {
        const { body } = await send({
          path: 'https://login.example.com/oauth/token',
          body: new URLSearchParams({
            grant_type: 'client_credentials',
            client_id: 'ci',
            client_secret: environment.CLIENT_SECRET ?? '',
            scope: scopes.join(' '),
          }),
        });
        return body.access_token;
      },
    },
    async before({ send }) {
      const { body } = await send({ path: '/organizations', body: { name: 'CI' } });
      return { parameters: { orgId: body.id } };
    },
  },
});
