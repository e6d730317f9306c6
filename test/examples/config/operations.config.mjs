import { defineConfig } from 'storefront';

export default defineConfig({
  check: {
    parameters: { orgId: 'acme' },
    operations: {
      deleteAccount: { skip: 'it deletes the account of the test user' },
      'tag:admin': { headers: { 'X-Tenant': 'blue' } },
      createInvoice: { body: { currency: 'EUR', customer: { country: 'DE' } } },
      listInvoices: { expected: [{ rule: 'response-schema', status: 200, reason: 'API-12: totals are strings' }] },
    },
  },
});
