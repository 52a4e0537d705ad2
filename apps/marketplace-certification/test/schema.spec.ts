import { compareSchema, stepProblems } from '@crm/testing';
import { expect, it } from '@jest/globals';
import { migrations } from '../src/migrations/index.js';

it('the migrations make the schema that is committed', async () => {
  const { present, committed } = await compareSchema(
    'marketplace-certification',
    migrations,
    new URL('../schema.sql', import.meta.url),
  );
  expect(present).toBe(committed);
});

it('later steps leave what runs beside them working', async () => {
  expect(await stepProblems(migrations)).toEqual([]);
});
