import { hasScope, type Principal, requireScope, type ScopeHolder } from '@crm/access';
import { type FieldProblem, requireNoProblems, rpc } from '@crm/contracts';
import { Database } from '@crm/database';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ObjectRepository } from '../object/object.repository.js';
import {
  actingApp,
  isVisibleTo,
  type StoredField,
  scopeOf,
  standardObjectWithId,
} from '../object/object-definition.js';
import { type ObjectModel } from '../object/object-model.js';
import { type FieldValues } from '../reading/record.js';

/** A reference to a record that does not exist or that the caller may not know of, or to no user of the workspace. */
export const referenceNotFound = (field: StoredField): FieldProblem => ({
  pointer: `/${field.apiName}`,
  code: 'REFERENCE_NOT_FOUND',
  // Without the field's label, which is unknown to writers who cannot read the field.
  detail: `The ${field.referenceObjectIds.length > 0 ? 'record' : 'user'} doesn't exist`,
});

/** A user who was found is not looked up again for so long; one who is erased can be named until then. */
const USER_KEPT_MS = 60_000;
const USERS_KEPT = 50_000;

/** Knows which ids belong to users of a tenant. */
@Injectable()
export class UserDirectory {
  private readonly kept = new LRUCache<string, true>({ max: USERS_KEPT, ttl: USER_KEPT_MS, perf: Date });

  constructor(private readonly rpc: Rpc) {}

  /** The ids that no user of the tenant has. @throws SERVICE_UNAVAILABLE, DEADLINE_EXCEEDED when identity does not answer */
  async listUnknown(tenantId: string, ids: readonly string[]): Promise<string[]> {
    const asked = [...new Set(ids)].filter((id) => !this.kept.get(`${tenantId}/${id}`));
    if (asked.length === 0) return [];
    const { userIds } = await this.rpc.call(rpc.identity.findUsers, { tenantId, userIds: asked });
    for (const id of userIds) this.kept.set(`${tenantId}/${id}`, true);
    return asked.filter((id) => !userIds.includes(id));
  }
}

/** Decides whether a caller may refer to an object's records: references would reveal which ids exist. */
@Injectable()
export class ReferenceAccessService {
  constructor(
    private readonly database: Database,
    private readonly objects: ObjectRepository,
    private readonly users: UserDirectory,
  ) {}

  /**
   * Checks written references before their records are looked up.
   * @throws INSUFFICIENT_SCOPE; VALIDATION_FAILED, as for unknown records, when an app does not see the object
   */
  async require(caller: Principal, model: ObjectModel, written: FieldValues): Promise<void> {
    const fields = model.referenceFields.filter(({ apiName }) => (written[apiName] ?? null) !== null);
    for (const field of fields) requireTarget(caller, field);
    if (actingApp(caller) === null) return;
    requireNoProblems((await this.listUnseen(caller, fields)).map(referenceNotFound));
  }

  /** The fields that name nobody in the workspace. @param values as validated */
  async findFieldsWithUnknownUsers(caller: Principal, model: ObjectModel, values: FieldValues): Promise<StoredField[]> {
    const isSelf = (id: unknown) => caller.kind === 'user' && !caller.serviceAccount && id === caller.userId;
    const named = model.userFields.filter(({ apiName }) => {
      const id = values[apiName] ?? null;
      return id !== null && !isSelf(id);
    });
    if (named.length === 0) return [];
    const ids = named.map(({ apiName }) => values[apiName] as string);
    const unknown = await this.users.listUnknown(caller.tenantId, ids);
    return named.filter((_, index) => unknown.includes(ids[index] as string));
  }

  /** The fields that refer to an object of another app; such a field has one target. */
  private async listUnseen(caller: Principal, fields: readonly StoredField[]): Promise<StoredField[]> {
    const others = fields.filter(({ referenceObjectIds: [id] }) => id !== undefined && !standardObjectWithId(id));
    if (others.length === 0) return [];
    return this.database.transaction(caller.tenantId, async (tx) => {
      const unseen: StoredField[] = [];
      for (const field of others) {
        const target = await this.objects.findById(tx, field.referenceObjectIds[0] as string);
        if (!target || !isVisibleTo(target.object, caller)) unseen.push(field);
      }
      return unseen;
    });
  }
}

/** The objects of a reference whose records the caller's scopes let it read. */
export function readableTargets(caller: ScopeHolder, { referenceObjectIds }: StoredField): string[] {
  return referenceObjectIds.filter((id) => hasScope(caller, scopeOf(id), 'read'));
}

function requireTarget(caller: ScopeHolder, field: StoredField): void {
  const [id] = field.referenceObjectIds;
  if (id !== undefined && readableTargets(caller, field).length === 0) requireScope(caller, scopeOf(id), 'read');
}
