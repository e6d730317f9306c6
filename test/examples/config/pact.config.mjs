import { defineConfig } from 'storefront';

export default defineConfig({
  check: {
    url: 'http://localhost:3000',
    contract: 'openapi.yaml',
    pact: 'web-shop.json',
    states: {
      'the cart is empty': 'empty-cart',
      'the cart has a product': async ({ send, params }) => {
        await send({ path: '/api/cart-items', body: { productId: params.id, quantity: 1 } });
      },
    },
  },
});
