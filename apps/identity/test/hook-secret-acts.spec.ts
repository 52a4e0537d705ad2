import { rpc, type ServiceName } from '@crm/contracts';
import { newId } from '@crm/database';
import { MessagingModule, Rpc } from '@crm/messaging';
import { testNats } from '@crm/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { auditOf } from './audit.js';
import { type Account, TestIdentity } from './identity.js';

let identity: TestIdentity;
let context: INestApplicationContext;
let calls: Rpc;

beforeAll(async () => {
  identity = await TestIdentity.start();
  const service: ServiceName = 'automation-hooks';
  const { url, passwords } = testNats();
  const config = { url, user: service, password: passwords[service], service };
  context = await NestFactory.createApplicationContext(MessagingModule.forService({ config }), { logger: false });
  calls = context.get(Rpc);
});
afterAll(async () => {
  await context?.close();
  await identity?.close();
});

const admit = (act: 'issued' | 'previous_revoked', workflowId: string, { accessToken: token }: Account) => {
  const request = { act, workflowId, ...(act === 'issued' && { overlapSeconds: 3600 }) };
  return calls.call(rpc.identity.admitHookSecretAct, request, { token }).then(
    () => 'admitted',
    (error: { code?: string }) => error.code,
  );
};
const actsOf = async (owner: Account) =>
  (await auditOf(identity, owner)).filter(({ action }) => action.startsWith('hook_secret.'));

it('new secrets of hooks and those that are ended are in the audit trail', async () => {
  const owner = await identity.account();
  const workflowId = newId();
  expect(await admit('issued', workflowId, owner)).toBe('admitted');
  expect(await admit('previous_revoked', workflowId, owner)).toBe('admitted');
  const common = { outcome: 'success', actor: { id: owner.userId }, subject: { kind: 'workflow', id: workflowId } };
  expect(await actsOf(owner)).toMatchObject([
    { ...common, action: 'hook_secret.previous_revoked', detail: {} },
    { ...common, action: 'hook_secret.issued', detail: { overlapSeconds: 3600 } },
  ]);
});

it('a new secret of a hook needs a recent proof, and ending one does not', async () => {
  const owner = await identity.account();
  const workflowId = newId();
  await identity.forgetProofs(owner.tenantId);
  expect(await admit('issued', workflowId, owner)).toBe('STEP_UP_REQUIRED');
  expect(await actsOf(owner)).toEqual([]);
  expect(await admit('previous_revoked', workflowId, owner)).toBe('admitted');
  await identity.stepUp(owner.accessToken);
  expect(await admit('issued', workflowId, owner)).toBe('admitted');
});

it('people who do not administer replace no secrets of hooks', async () => {
  const owner = await identity.account();
  const member = await identity.member(owner);
  expect(await admit('issued', newId(), member)).toBe('FORBIDDEN');
  expect(await admit('previous_revoked', newId(), member)).toBe('FORBIDDEN');
  expect(await actsOf(owner)).toEqual([]);
});
