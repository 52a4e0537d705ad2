import { randomUUID } from 'node:crypto';
import { AUDIENCES, type RpcContract, type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { newId } from '@crm/database';
import { NatsConnection, Rpc } from '@crm/messaging';
import { testNats } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type StandardRecords, startStandardRecords } from './standard-records.js';

const { createRecord, updateRecord } = rpc.customObjects;

let app: StandardRecords;
let connection: NatsConnection;

beforeAll(async () => {
  app = await startStandardRecords();
  const { url, passwords } = testNats();
  const service = 'automation-hooks';
  connection = await NatsConnection.open({ url, user: service, password: passwords[service], service });
});
afterAll(async () => {
  await connection.close();
  await app.close();
});

describe('a workflow step', () => {
  const internalToken = (
    tenantId: string,
    claims: { roles: string[]; sub?: string; scopes?: string[]; act?: object },
  ) => app.tokens.sign({ aud: AUDIENCES.internal, tid: tenantId, sid: undefined, ...claims } as never);
  const call = <C extends RpcContract>(contract: C, request: RpcRequest<C>, token?: string): Promise<RpcResponse<C>> =>
    new Rpc(connection).call(contract, request, { token });

  it('that creates a standard record finds it when it is repeated', async () => {
    const { tenantId, userId, call: request } = await app.tenant();
    const step = { object: 'task', values: { title: 'Call back' }, idempotencyKey: randomUUID() };
    const token = () => internalToken(tenantId, { roles: ['member'], sub: userId });
    const first = await call(createRecord, step, await token());
    const again = await call(createRecord, step, await token());
    expect(again).toEqual(first);
    expect((await request('GET', `/api/crm/tasks/${first.id}`)).body).toMatchObject({ title: 'Call back', version: 1 });
  });

  it('changes a standard record', async () => {
    const { tenantId, call: request } = await app.tenant();
    const { body: lead } = await request('POST', '/api/crm/leads', { lastName: 'A' });
    const token = await internalToken(tenantId, { roles: ['member'] });
    const change = { object: 'lead', id: lead.id, values: { status: 'hot' } };
    expect(await call(updateRecord, change, token)).toEqual({ id: lead.id });
    expect((await request('GET', `/api/crm/leads/${lead.id}`)).body).toMatchObject({ status: 'hot', version: 2 });
  });

  it('has the rights of its token and no more', async () => {
    const { tenantId, call: request } = await app.tenant();
    const { body: lead } = await request('POST', '/api/crm/leads', { lastName: 'A' });
    const create = { object: 'lead', values: { lastName: 'B' }, idempotencyKey: randomUUID() };
    const viewer = await internalToken(tenantId, { roles: ['viewer'] });
    await expect(call(createRecord, create, viewer)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const act = { sub: 'some-app', installation_id: newId() };
    // The scope is that of the object: neither reading it nor writing others is enough.
    const narrowed = await internalToken(tenantId, {
      roles: ['app:some-app'],
      scopes: ['tasks', 'custom_objects', 'leads:read'],
      act,
    });
    await expect(call(createRecord, create, narrowed)).rejects.toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    const change = { object: 'lead', id: lead.id, values: { status: 'x' } };
    await expect(call(updateRecord, change, narrowed)).rejects.toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    await expect(call(createRecord, create)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    const stranger = await internalToken(newId(), { roles: ['admin'] });
    await expect(call(updateRecord, change, stranger)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('that writes to an object that does not exist is refused', async () => {
    const { tenantId } = await app.tenant();
    const token = await internalToken(tenantId, { roles: ['member'] });
    for (const object of ['nothing', 'leads', 'deal', 'toString', '']) {
      const create = { object, values: {}, idempotencyKey: randomUUID() };
      await expect(call(createRecord, create, token)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  it('receives every problem of its values', async () => {
    const { tenantId } = await app.tenant();
    const token = await internalToken(tenantId, { roles: ['member'] });
    const create = { object: 'lead', values: { email: 'x', colour: 1 }, idempotencyKey: randomUUID() };
    await expect(call(createRecord, create, token)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      extra: {
        errors: expect.arrayContaining(
          ['/lastName', '/email', '/colour'].map((pointer) => expect.objectContaining({ pointer })),
        ),
      },
    });
  });
});
