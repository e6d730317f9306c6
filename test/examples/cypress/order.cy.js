let id;
const control = (method, path, body = {}) =>
  cy.request({ method, url: `http://localhost:3000/_control/sandboxes/${id}${path}`, body });

beforeEach(() => {
  id = crypto.randomUUID();
  control('PUT', '', { from: 'full-cart' });
  cy.setCookie('sandbox', id);
});
afterEach(() => control('DELETE', ''));

it('orders at the second attempt', () => {
  control('POST', '/faults', { operation: 'createOrder', status: 500, times: 1 });
  cy.visit('/');
  cy.contains('button', 'Order').click();
  cy.get('#message').should('not.be.empty').and('not.contain', 'ordered');
  cy.contains('button', 'Order').click();
  cy.get('#message').should('contain', 'ordered');
  control('POST', '/requests/verify', { operation: 'createOrder', times: 2 })
    .its('body.verified')
    .should('equal', true);
});
