export default { test: { reporters: ['default', 'storefront/coverage-reporter'] } };
