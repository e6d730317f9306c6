import { expect, it } from 'vitest';
import { describesPartialUpdate } from '../../src/check/partial-updates.ts';

it.each([
  'Changes only the given properties.',
  'Update a task. Omitted fields are kept.',
  'Properties that are left out keep their values.',
  'Other properties stay as they are.',
  'Leaves omitted properties unchanged.',
  'Keeps the properties that are not sent.',
  'Partial updates are allowed.',
  'Merges the body into the resource.',
  'Properties that are left out do not change.',
])('"%s" describes a partial update', (text) => {
  expect(describesPartialUpdate(text)).toBe(true);
});

it.each([
  'Replace a customer. Properties that are left out get their default.',
  'Replaces the task. Omitted fields are reset to null.',
  'Missing properties are removed.',
  'Replaces the whole resource, not a partial update.',
  'Replaces the resource. Use PATCH for a partial update.',
  'Replaces the resource. Partial updates: see PATCH.',
  'Replace the resource.',
  'undefined undefined',
])('"%s" does not describe a partial update', (text) => {
  expect(describesPartialUpdate(text)).toBe(false);
});
