import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { findRoute, withPaths, writeDocument } from './documents.ts';

const SCHEMAS = `components:
  schemas:
    Body:
      type: object
      properties:
        pet:
          oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }]
          discriminator: { propertyName: petType }
        paper:
          oneOf: [{ $ref: "#/components/schemas/Passport" }, { $ref: "#/components/schemas/License" }]
          discriminator:
            propertyName: kind
            mapping: { passport: "#/components/schemas/Passport", license: "#/components/schemas/License" }
        shape:
          oneOf:
            - { type: object, required: [kind, r], properties: { kind: { enum: [circle] }, r: { type: number } } }
            - { type: object, required: [kind, w], properties: { kind: { enum: [square] }, w: { type: number, minimum: 1 } } }
        owner: { nullable: true, allOf: [{ $ref: "#/components/schemas/Owner" }] }
        nick: { nullable: true, type: string, allOf: [{ minLength: 3 }] }
        size: { oneOf: [{ type: integer, maximum: 9 }, { type: string, enum: [small, large] }] }
        ids: { type: array, uniqueItems: true, minItems: 2, items: { type: string } }
        few: { type: array, maxItems: 2, items: { type: string } }
        sort:
          oneOf:
            - { type: object, properties: { by: { type: string } }, anyOf: [{ required: [by] }, { required: [order] }] }
            - { type: array, items: { type: string } }
    Passport: { type: object, required: [kind], properties: { kind: { enum: [passport, license] } } }
    License: { type: object, required: [kind], properties: { kind: { enum: [passport, license] } } }
    Cat: { type: object, required: [petType, lives], properties: { petType: { type: string }, lives: { type: integer } } }
    Dog:
      allOf:
        - { type: object, required: [petType], properties: { petType: { type: string } } }
        - { type: object, required: [bark], properties: { bark: { type: boolean } } }
    Owner: { type: object, required: [name], properties: { name: { type: string }, pets: { type: array, items: { $ref: "#/components/schemas/Body" } } } }
`;

describe('the detail of a violation', () => {
  it.each<[body: unknown, detail: string]>([
    [{ pet: { petType: 'Cat' } }, 'pet.lives is missing: add an integer'],
    [{ pet: { petType: 'Dog', bark: 1 } }, 'pet.bark is 1: use true or false'],
    [{ pet: { petType: 'Cow' } }, 'pet.petType is "Cow": use "Cat" or "Dog"'],
    [{ pet: {} }, 'pet.petType is missing: add "Cat" or "Dog"'],
    [{ shape: { kind: 'circle' } }, 'shape.r is missing: add a number'],
    [{ shape: { kind: 'square', w: 0 } }, 'shape.w 0 is below the minimum of 1: use a number of at least 1'],
    [{ owner: {} }, 'owner.name is missing: add a string'],
    [
      { owner: { name: 'a', pets: [{ pet: { petType: 'Cat' } }] } },
      'owner.pets.0.pet.lives is missing: add an integer',
    ],
    [{ size: 10 }, 'size is 10: use an integer of at most 9 or "small" or "large"'],
    [{ nick: 'a' }, 'nick is "a": use a string of at least 3 characters'],
    [{ nick: 5 }, 'nick is 5: use a string or null'],
    [{ size: true }, 'size is true: use an integer of at most 9 or "small" or "large"'],
    [{ ids: ['a', 'b', 'a'] }, 'ids is ["a","b","a"]: use different entries: the entries 0 and 2 are equal'],
    [{ ids: ['a'] }, 'ids is ["a"]: use an array with at least 2 entries'],
    [{ paper: { kind: 'license' }, few: ['a', 'b', 'c'] }, 'few is ["a","b","c"]: use an array with at most 2 entries'],
    [{ few: ['a', 'b', 'c'] }, 'few is ["a","b","c"]: use an array with at most 2 entries'],
    [{ sort: [1] }, 'sort.0 is 1: use a string'],
  ])('of %j names the alternative that the value selects', async (body, detail) => {
    const contract = await loadContract({
      path: await writeDocument(
        withPaths(
          '/a: { post: { requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Body" } } } }, responses: { "204": { description: d } } } }',
        ) + SCHEMAS,
      ),
      strict: false,
    });
    const result = contract.validateRequest(findRoute(contract, 'POST', '/a'), {
      path: '/a',
      query: {},
      headers: {},
      body,
    });
    expect(result).toMatchObject({ kind: 'violations', detail });
  });
});
