import { Database, newId } from '@crm/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOperator, resetOperator } from '../src/operator.js';
import { PASSWORD, TestIdentity } from './identity.js';
import { ORIGIN, TestOperators } from './operators.js';

let identity: TestIdentity;
let database: Database;
let operators: TestOperators;

beforeAll(async () => {
  identity = await TestIdentity.start({ profile: 'production' });
  database = identity.get(Database);
  operators = new TestOperators(identity);
});
afterAll(() => identity?.close());

const ada = { email: 'Ada@Platform.test', name: 'Ada', password: PASSWORD, role: 'administrator' };

describe('creating an operator', () => {
  it('lets them sign in, in the production profile as well', async () => {
    await createOperator(database, ada);
    expect(await operators.login('ada@platform.test')).toMatchObject({ mfaEnrolmentRequired: true });
  });

  it('leaves an operator who exists as they are', async () => {
    const grace = { ...ada, email: 'grace@platform.test' };
    await createOperator(database, grace);
    const again = createOperator(database, {
      ...grace,
      email: 'GRACE@platform.test',
      password: 'another-long-password',
    });
    await expect(again).rejects.toMatchObject({ code: 'CONFLICT' });
    const wrong = { email: grace.email, password: 'another-long-password', ...ORIGIN };
    expect(await operators.refusal('login', wrong)).toBe('INVALID_CREDENTIALS');
    expect(await operators.login(grace.email)).toMatchObject({ mfaEnrolmentRequired: true });
  });

  it.each([
    [{ ...ada, email: 'nobody' }, '/email'],
    [{ ...ada, email: 'a@platform.test', name: ' ' }, '/name'],
    [{ ...ada, email: 'a@platform.test', password: 'short' }, '/password'],
    [{ ...ada, email: 'a@platform.test', role: 'owner' }, '/role'],
    [{ ...ada, email: 'a@platform.test', workspace: 'Acme' }, '/workspace'],
  ])('refuses what an operator cannot have: %j', async (input, pointer) => {
    await expect(createOperator(database, input)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      extra: { errors: [{ pointer }] },
    });
  });
});

describe('the password of an operator', () => {
  it.each([
    ['iloveyou2024', 'COMMON_PASSWORD'],
    ['1qaz2wsx3edc', 'COMMON_PASSWORD'],
    ['Grace-Hopper-1', 'OWN_DATA_PASSWORD'],
  ])('is refused when it is weak, and nothing is created: %p', async (password, code) => {
    const email = `weak-${newId()}@platform.test`;
    const created = createOperator(database, { ...ada, email, name: 'Grace Hopper', password });
    await expect(created).rejects.toMatchObject({
      code: 'WEAK_PASSWORD',
      extra: { errors: [{ pointer: '/password', code }] },
    });
    expect(await operators.refusal('login', { email, password, ...ORIGIN })).toBe('INVALID_CREDENTIALS');
    await createOperator(database, { ...ada, email });
  });
});

describe('resetting an operator', () => {
  it('refuses an address that no operator has', async () => {
    await expect(resetOperator(database, `${newId()}@platform.test`)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
