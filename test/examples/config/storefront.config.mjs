import { defineConfig } from 'storefront';

export default defineConfig({
  contract: 'openapi.yaml',
  port: 4000,
  durability: 'memory',
  check: {
    url: 'https://staging.example.com/api',
    allowWrites: true,
    exclude: ['deleteAccount', 'tag:internal'],
    baseline: 'baseline.json',
    report: ['check.xml', 'check.sarif'],
    async before({ url, environment }) {
      const body = JSON.stringify({ user: 'tester', password: environment.TESTER_PASSWORD });
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${url}/login`, { method: 'POST', headers, body });
      const { token } = await response.json();
      return { headers: { authorization: `Bearer ${token}` } };
    },
  },
});
