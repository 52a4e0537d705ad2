import Type, { type Static } from 'typebox';
import { defineRpc } from './define.js';

const Id = Type.String({ format: 'uuid' });

export const ProvisionedObject = Type.Object({
  declaredApiName: Type.String(),
  /** The name in the tenant: with `sbx_` in a sandbox, qualified by the app's key when another app has the same name. */
  apiName: Type.String(),
});
export type ProvisionedObject = Static<typeof ProvisionedObject>;

/**
 * Creates the objects of a package, all or none: OBJECT_LIMIT_EXCEEDED leaves nothing behind. A repetition for the same
 * installation answers with the existing objects.
 */
export const provisionObjects = defineRpc({
  subject: 'rpc.custom-objects.objects.provision',
  callers: ['marketplace-certification'],
  principal: 'user',
  request: Type.Object({
    installationId: Id,
    appKey: Type.String(),
    sandbox: Type.Boolean(),
    /** `objects` of a certified manifest. */
    objects: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  }),
  response: Type.Object({ objects: Type.Array(ProvisionedObject) }),
  timeoutMs: 10_000,
});

/**
 * Removes the objects of an installation. `discard` also deletes the definitions (rollback of a failed installation). The
 * marketplace calls on its own behalf, so that a removal is completed whatever happens to the administrator who requested
 * it.
 */
export const removeObjects = defineRpc({
  subject: 'rpc.custom-objects.objects.remove',
  callers: ['marketplace-certification'],
  principal: 'service',
  request: Type.Object({ tenantId: Id, installationId: Id, discard: Type.Boolean() }),
  response: Type.Object({ removed: Type.Integer() }),
  timeoutMs: 10_000,
});

/** What a workspace stores: records, the bin included, the bytes of their values and notes, and its custom objects. */
export const getStorageUse = defineRpc({
  subject: 'rpc.custom-objects.storage.use',
  callers: ['identity'],
  principal: 'service',
  request: Type.Object({ tenantId: Id }),
  response: Type.Object({ records: Type.Integer(), bytes: Type.Integer(), customObjects: Type.Integer() }),
  timeoutMs: 3000,
});

/**
 * The fields of active objects, `object.field` by name, that one of the roles opens, to read or to write. Those that one of `held` opens as
 * well are left out. At most 200, by name.
 */
export const listFieldsOfRoles = defineRpc({
  subject: 'rpc.custom-objects.fields.listOfRoles',
  callers: ['identity'],
  principal: 'service',
  request: Type.Object({ tenantId: Id, roles: Type.Array(Type.String()), held: Type.Array(Type.String()) }),
  response: Type.Object({ fields: Type.Array(Type.String()) }),
  timeoutMs: 3000,
});

/** `lead`, `contact`, …, or the api-name of a custom object in the tenant; no custom object has the name of a standard one. */
const ObjectName = Type.String();

/** A workflow creates a record; with the same `idempotencyKey` a repeated step finds the record it created before. */
export const createRecord = defineRpc({
  subject: 'rpc.custom-objects.records.create',
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

export const updateRecord = defineRpc({
  subject: 'rpc.custom-objects.records.update',
  callers: ['automation-hooks'],
  principal: 'user',
  request: Type.Object({ object: ObjectName, id: Id, values: Type.Record(Type.String(), Type.Unknown()) }),
  response: Type.Object({ id: Id }),
  timeoutMs: 5000,
});
