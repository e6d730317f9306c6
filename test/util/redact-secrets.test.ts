import { describe, expect, it } from 'vitest';
import { redactSecrets, redactText } from '../../src/util/redact-secrets.ts';

const REDACTED = '[redacted]';

describe('redactSecrets', () => {
  it.each([
    'authorization',
    'Proxy-Authorization',
    'cookie',
    'set-cookie',
    'token',
    'accessToken',
    'client_secret',
    'password',
    'PASSWD',
    'passphrase',
    'credentials',
    'sessionId',
    'apiKey',
    'x-api-key',
    'API_KEY',
    'cardNumber',
    'card-number',
    'cvc',
    'cvv2',
    'pwd',
    'db_pwd',
    'pin',
    'x-pin',
    'auth',
    'X-Auth-User',
    'jwt',
    'accessKey',
    'passcode',
    'userPwd',
    'userpwd',
    'pinCode',
    'PIN',
    'userPin',
    'otp',
    'otpCode',
    'X-OTP',
    'privateKey',
    'Private-Key',
    'signature',
    'x-hub-signature-256',
    'iban',
    'customerIBAN',
    'ssn',
    'bearer',
    'securityAnswer',
    'taxId',
    'securityCode',
    'Ocp-Apim-Subscription-Key',
    'X-Functions-Key',
    'connectionString',
    'ccnum',
    'socialSecurityNumber',
    'PHPSESSID',
    'sid',
    'passWord',
    'Passwort',
  ])('redacts the value of %s', (name) => {
    expect(redactSecrets({ [name]: 'hunter2', other: 'a' })).toEqual({ [name]: REDACTED, other: 'a' });
  });

  it('redacts values at any depth and of any type', () => {
    expect(redactSecrets([{ a: { tokens: [1, { b: 2 }], c: [{ password: null }] } }])).toEqual([
      { a: { tokens: REDACTED, c: [{ password: REDACTED }] } },
    ]);
  });

  it.each([
    ...[
      'keywords',
      'shipping',
      'author',
      'pinned',
      'spinner',
      'authored_by',
      'key',
      'className',
      'hotpink',
      'footprint',
    ],
    ...['caliban', 'shippingCode', 'primaryKey', 'assignedTo', 'design'],
    ...[
      'passwordLength',
      'sessionCount',
      'passwordChangedAt',
      'hasPassword',
      'cookie_policy',
      'maxTokens',
      'total_tokens',
      'tokenType',
      'token_count',
      'secretary',
      'obsession',
      'possession',
      'compassWidth',
    ],
  ])('does not redact the value of %s', (name) => {
    expect(redactSecrets({ [name]: 'a' })).toEqual({ [name]: 'a' });
    expect(redactText(`/api/products?${name}=a`)).toBe(`/api/products?${name}=a`);
  });

  it.each(['name', 'Name', 'key', 'id', 'field', 'parameter', 'header', 'pointer', 'path'])(
    'redacts the value of an object whose %s is a secret name',
    (naming) => {
      const entries = [
        { [naming]: 'password', value: 'hunter2' },
        { value: 'hunter2', [naming]: 'apiKey' },
        { [naming]: 'pwd', content: 'hunter2' },
        { [naming]: 'token', val: 'hunter2' },
        { [naming]: '/users/0/password', Value: 'hunter2' },
        { [naming]: 'API key', value: 'hunter2' },
      ];
      const others = [
        { [naming]: 'colour', value: 'red' },
        { [naming]: 'Cookie cutter', content: 'for biscuits' },
        { name: 'password', label: 'Password' },
      ];
      expect(JSON.stringify(redactSecrets(entries))).not.toContain('hunter2');
      expect(redactSecrets(others)).toEqual(others);
      for (const text of [JSON.stringify(entries), `${JSON.stringify(entries).slice(0, -3)}`])
        expect(redactText(text)).not.toContain('hunter2');
      expect(redactText(JSON.stringify(others))).toBe(JSON.stringify(others));
    },
  );

  it('redacts the value in a list of a secret name and its value', () => {
    const lists = [
      ['authorization', 'hunter2'],
      ['a', ['password', 'hunter2']],
    ];
    const others = [['colour', 'red'], ['password'], ['password', 'email', 'name'], ['password', 1]];
    expect(JSON.stringify(redactSecrets(lists))).not.toContain('hunter2');
    expect(redactSecrets(others)).toEqual(others);
    for (const text of [JSON.stringify(lists), '["password", "hunter2', `{"a":[[ "token" , "hunter2" ]]}`])
      expect(redactText(text)).not.toContain('hunter2');
    expect(redactText(JSON.stringify(others))).toBe(JSON.stringify(others));
  });

  it.each([1, 'password', null, true, [], {}, { productId: 'a', quantity: 2 }])(
    'returns other values unchanged: %j',
    (value) => {
      expect(redactSecrets(value)).toEqual(value);
    },
  );
});

/** Returns long texts of each kind that is redacted, with one part repeated. In quadratic time they would take hours. */
function longTexts(part: string): readonly string[] {
  const body = part.repeat(500_000).slice(0, 500_000);
  return [`token ${body}`, `{"a":"${body} token`, `/api?token=a&b=${body}`, `{"password":${body}`];
}

describe('redactText', () => {
  it.each([
    ['/api/products?token=hunter2', `/api/products?token=${REDACTED}`],
    ['/api/products?a=b&api_key=hunter2&c=d', `/api/products?a=b&api_key=${REDACTED}&c=d`],
    ['password=hunter2&a=b', `password=${REDACTED}&a=b`],
    ['{"password":"hunter2","a":"b', `{"password":"${REDACTED}","a":"b`],
    ['{"a":"b","password":"hunt', `{"a":"b","password":"${REDACTED}"`],
    ['{"password" : "hun\\"ter2", "a": 1', `{"password" : "${REDACTED}", "a": 1`],
    ['{"cvc": 123, "a": 1', `{"cvc": "${REDACTED}", "a": 1`],
    ['{"tokens":["hunter2","hunter3"],"a":1', `{"tokens":"${REDACTED}","a":1`],
    ['/api/products?filter=%7B%22password%22%3A%22hunter2%22%7D&a=b', `/api/products?filter=${REDACTED}&a=b`],
    ['/api/products?filter=%7B%22name%22%3A%22a%22%7D', '/api/products?filter=%7B%22name%22%3A%22a%22%7D'],
    ['/login?next=%2Fapi%3Ftoken%3Dhunter2', `/login?next=${REDACTED}`],
    ['cvc 123 is above the maximum of 99', `cvc ${REDACTED} is above the maximum of 99`],
    ['card.pin is 12.5, no whole number', `card.pin is ${REDACTED}, no whole number`],
    ['password "hunter2" is too short', `password ${REDACTED} is too short`],
    ['send Authorization: Basic hunter2', `send Authorization: Basic ${REDACTED}`],
    ['send Bearer TOKENhunter2 or Basic TOKEN:hunter2', `send Bearer ${REDACTED} or Basic ${REDACTED}`],
    ['Authorization: Basic CREDENTIALS, or Bearer TOKEN', 'Authorization: Basic CREDENTIALS, or Bearer TOKEN'],
    ['name: a\npassword: hunter2\nb: c', `name: a\npassword: ${REDACTED}\nb: c`],
    ['Authorization: Digest hunter2', `Authorization: ${REDACTED}`],
    ['send Authorization: Token hunter2', `send Authorization: Token ${REDACTED}`],
    ['<user token="hunter2"><name>a b</name></user>', `<user token="${REDACTED}"><name>a b</name></user>`],
    ["<u:user x:token='hunter2' b='c'/>", `<u:user x:token="${REDACTED}" b='c'/>`],
    ['<password><![CDATA[hunter2<]]></password><a>b</a>', `<password>${REDACTED}</password><a>b</a>`],
    ['<password><!-- c -->hunter2<b>x</b></password><a>b</a>', `<password>${REDACTED}</password><a>b</a>`],
    ["{'password':'hunter2',a:1}", `{'password':"${REDACTED}",a:1}`],
    ['<a token = "hunter2"/>', `<a token = "${REDACTED}"/>`],
    ['<password/><a>b</a>', '<password/><a>b</a>'],
    ['<password><![CDATA[hunter2', `<password>${REDACTED}`],
    ['{"a":"{\\"token\\":\\"hunter2\\",\\"b\\":1', `{"a":"{\\"token\\":\\"${REDACTED}\\",\\"b\\":1`],
    ['quantity 11 is above the maximum of 10', 'quantity 11 is above the maximum of 10'],
    ['/api/products?search=a', '/api/products?search=a'],
    ['{"a":"b","c":[1,2', '{"a":"b","c":[1,2'],
  ])('redacts the secrets in %j', (text, expected) => {
    expect(redactText(text)).toBe(expected);
  });

  it.each([
    '{"user":{"password":"hunter2"},"a":"b',
    '{"users":[{"name":"a","password":"hunter2"}],"a":"b',
    '{"a":{"b":{"token":"hunter2","c":1',
    '{"session":{"id":"a","key":"hunter2"},"a":"b',
    '{"credentials":[["a","b"],["c","hunter2"]],"a":"b',
    '{"token":"a","pass\\u0077ord":"hunter2","a":"b',
    '{"pass\\u0077ord":"hunter2","a":"b',
  ])('redacts a secret in a nested object or list: %s', (text) => {
    expect(redactText(text)).not.toContain('hunter2');
  });

  it.each([
    '/api/products?pass%77ord=hunter2',
    '/api/products?api%5Fkey=hunter2',
    '/api/products?token="hunter2',
    '/api/products?token=%22a"hunter2',
  ])('redacts a secret in a URL with any percent-encoding: %s', (text) => {
    expect(redactText(text)).not.toContain('hunter2');
  });

  it('handles deeply nested percent-encoded parameters', () => {
    for (const text of [`${'a='.repeat(3_990)}%token`, `${'a='.repeat(1_990)}%${'25'.repeat(1_990)}token`])
      expect(redactText(text).length).toBeGreaterThan(0);
  });

  it.each([
    ['quotes', '"'],
    ['escaped quotes', '\\"'],
    ['strings of escaped quotes', '"\\"'],
    ['escapes', '\\'],
    ['names', '"a":'],
    ['secret names', '"password":'],
    ['secret strings', '"password":"'],
    ['secret lists', '"password":['],
    ['objects', '{"a":{'],
    ['lists', '['],
    ['closing brackets', ']'],
    ['a long word', 'a'],
    ['long names', 'a.b-'],
    ['elements', '<a>'],
    ['attributes', '<a b="'],
    ['data sections', '<a><![CDATA[]'],
    ['escaped strings', '\\"a\\":\\"'],
    ['lines', 'a: b\n'],
    ['messages', 'a is "'],
    ['messages with escaped quotes', 'a \\"'],
    ['messages with numbers', 'token 1 '],
    ['parameters', '&a=%22'],
    ['values', 'a=b;'],
    ['percent signs', '%'],
    ['question marks', '?'],
    ['spaces', ' '],
  ])('takes linear time for 500,000 characters of %s', (_, part) => {
    const texts = longTexts(part);
    expect(redactSecrets(texts)).toHaveLength(texts.length);
  });
});
