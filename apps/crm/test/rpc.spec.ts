import { randomUUID } from 'node:crypto';
import { AUDIENCES, type RpcContract, type RpcRequest, type RpcResponse, rpc, type ServiceName } from '@crm/contracts';
import { newId } from '@crm/database';
import { NatsConnection, Rpc } from '@crm/messaging';
import { testNats } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Crm, startCrm } from './crm-service.js';

let crm: Crm;
const connections: NatsConnection[] = [];

beforeAll(async () => {
  crm = await startCrm();
});
afterAll(async () => {
  for (const connection of connections) await connection.close();
  await crm.close();
});

async function callerNamed(service: ServiceName) {
  const { url, passwords } = testNats();
  const connection = await NatsConnection.open({ url, user: service, password: passwords[service], service });
  connections.push(connection);
  const client = new Rpc(connection);
  return <C extends RpcContract>(contract: C, request: RpcRequest<C>, token?: string): Promise<RpcResponse<C>> =>
    client.call(contract, request, { token });
}

describe('a workflow step', () => {
  const internalToken = (tenantId: string, claims: { roles: string[]; scopes?: string[]; act?: object }) =>
    crm.tokens.sign({ aud: AUDIENCES.internal, tid: tenantId, sid: undefined, ...claims } as never);

  it('that creates a record finds it when it is repeated', async () => {
    const call = await callerNamed('automation-hooks');
    const { tenantId, userId, call: request } = await crm.tenant();
    const step = { object: 'task', values: { title: 'Call back' }, idempotencyKey: randomUUID() } as const;
    const token = () => crm.tokens.sign({ aud: AUDIENCES.internal, tid: tenantId, sub: userId, roles: ['member'] });
    const first = await call(rpc.crm.createCoreRecord, step, await token());
    const again = await call(rpc.crm.createCoreRecord, step, await token());
    expect(again).toEqual(first);
    expect((await request('GET', `/api/crm/tasks/${first.id}`)).body).toMatchObject({ title: 'Call back', version: 1 });
  });

  it('changes a record', async () => {
    const call = await callerNamed('automation-hooks');
    const { tenantId, call: request } = await crm.tenant();
    const { body: lead } = await request('POST', '/api/crm/leads', { lastName: 'A' });
    const token = await internalToken(tenantId, { roles: ['member'] });
    const change = { object: 'lead', id: lead.id, values: { status: 'hot' } } as const;
    expect(await call(rpc.crm.updateCoreRecord, change, token)).toEqual({ id: lead.id });
    expect((await request('GET', `/api/crm/leads/${lead.id}`)).body).toMatchObject({ status: 'hot', version: 2 });
  });

  it('has the rights of its token and no more', async () => {
    const call = await callerNamed('automation-hooks');
    const { tenantId, call: request } = await crm.tenant();
    const { body: lead } = await request('POST', '/api/crm/leads', { lastName: 'A' });
    const create = { object: 'lead', values: { lastName: 'B' }, idempotencyKey: randomUUID() } as const;
    const viewer = await internalToken(tenantId, { roles: ['viewer'] });
    await expect(call(rpc.crm.createCoreRecord, create, viewer)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const app = await internalToken(tenantId, {
      roles: ['app:acme'],
      scopes: ['tasks', 'leads:read'],
      act: { sub: 'some-app', installation_id: newId() },
    });
    await expect(call(rpc.crm.createCoreRecord, create, app)).rejects.toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    await expect(call(rpc.crm.createCoreRecord, create)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    const stranger = await internalToken(newId(), { roles: ['admin'] });
    const change = { object: 'lead', id: lead.id, values: { status: 'x' } } as const;
    await expect(call(rpc.crm.updateCoreRecord, change, stranger)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is told every wrong value', async () => {
    const call = await callerNamed('automation-hooks');
    const { tenantId } = await crm.tenant();
    const token = await internalToken(tenantId, { roles: ['member'] });
    const create = { object: 'lead', values: { email: 'x', colour: 1 }, idempotencyKey: randomUUID() } as const;
    await expect(call(rpc.crm.createCoreRecord, create, token)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      extra: { errors: expect.arrayContaining([expect.objectContaining({ pointer: '/lastName' })]) },
    });
  });
});

describe('finding records', () => {
  it('answers which of the ids exist in the tenant', async () => {
    const call = await callerNamed('custom-objects');
    const own = await crm.tenant();
    const other = await crm.tenant();
    const { body: mine } = await own.call('POST', '/api/crm/companies', { name: 'Mine' });
    const { body: theirs } = await other.call('POST', '/api/crm/companies', { name: 'Theirs' });
    const ids = [mine.id, theirs.id, newId()];
    const request = { tenantId: own.tenantId, object: 'company', ids } as const;
    expect(await call(rpc.crm.findCoreRecords, request)).toEqual({ found: [mine.id] });
    expect(await call(rpc.crm.findCoreRecords, { ...request, object: 'lead' })).toEqual({ found: [] });
    expect(await call(rpc.crm.findCoreRecords, { ...request, ids: [] })).toEqual({ found: [] });
  });
});
