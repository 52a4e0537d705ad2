import { rpc } from '@crm/contracts';
import { Database } from '@crm/database';
import { MessagingModule, Rpc } from '@crm/messaging';
import { testNats } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { addOperator } from '../src/add-operator.js';
import { PASSWORD, TestIdentity } from './identity.js';

let identity: TestIdentity;
let database: Database;
let admin: INestApplicationContext;

beforeAll(async () => {
  identity = await TestIdentity.start({ profile: 'production' });
  database = identity.get(Database);
  const { url, passwords } = testNats();
  const service = 'marketplace-admin' as const;
  const config = { url, user: service, password: passwords[service], service };
  admin = await NestFactory.createApplicationContext(MessagingModule.forService({ config }), { logger: false });
});
afterAll(async () => {
  await admin?.close();
  await identity?.close();
});

const signIn = (email: string, password = PASSWORD) =>
  admin.get(Rpc).call(rpc.identity.loginOperator, { email, password, address: '192.0.2.1' });

describe('adding an operator', () => {
  it('lets them sign in, in the production profile as well', async () => {
    await addOperator(database, { email: 'Ada@Platform.test', name: 'Ada', password: PASSWORD });
    expect((await signIn('ada@platform.test')).expiresIn).toBe(900);
  });

  it('leaves an operator who exists as they are', async () => {
    await addOperator(database, { email: 'grace@platform.test', name: 'Grace', password: PASSWORD });
    const again = addOperator(database, {
      email: 'GRACE@platform.test',
      name: 'Other',
      password: 'another-long-password',
    });
    await expect(again).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(signIn('grace@platform.test', 'another-long-password')).rejects.toMatchObject({
      code: 'INVALID_CREDENTIALS',
    });
    expect((await signIn('grace@platform.test')).accessToken).toBeTruthy();
  });

  it.each([
    [{ email: 'nobody', name: 'Nobody', password: PASSWORD }, '/email'],
    [{ email: 'a@platform.test', name: ' ', password: PASSWORD }, '/name'],
    [{ email: 'a@platform.test', name: 'A', password: 'short' }, '/password'],
  ])('refuses what a user could not have either: %j', async (input, pointer) => {
    await expect(addOperator(database, input)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      extra: { errors: [{ pointer }] },
    });
  });
});
