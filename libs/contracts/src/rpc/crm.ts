import Type from 'typebox';
import { defineRpc } from './define.js';

const Id = Type.String({ format: 'uuid' });
const ObjectName = Type.Enum(['lead', 'contact', 'company', 'opportunity', 'task']);

/** A workflow creates a core record; with the same `idempotencyKey` a repeated step finds the record it created before. */
export const createCoreRecord = defineRpc({
  subject: 'rpc.crm.records.create',
  server: 'crm',
  callers: ['automation-hooks'],
  principal: 'user',
  request: Type.Object({
    object: ObjectName,
    values: Type.Record(Type.String(), Type.Unknown()),
    idempotencyKey: Id,
  }),
  response: Type.Object({ id: Id }),
  timeoutMs: 5000,
});

export const updateCoreRecord = defineRpc({
  subject: 'rpc.crm.records.update',
  server: 'crm',
  callers: ['automation-hooks'],
  principal: 'user',
  request: Type.Object({ object: ObjectName, id: Id, values: Type.Record(Type.String(), Type.Unknown()) }),
  response: Type.Object({ id: Id }),
  timeoutMs: 5000,
});

/** Returns which of the ids exist in the tenant; used before a reference field of a custom object is written. */
export const findCoreRecords = defineRpc({
  subject: 'rpc.crm.records.find',
  server: 'crm',
  callers: ['custom-objects'],
  principal: 'service',
  request: Type.Object({ tenantId: Id, object: ObjectName, ids: Type.Array(Id, { maxItems: 1000 }) }),
  response: Type.Object({ found: Type.Array(Id) }),
  timeoutMs: 3000,
});
