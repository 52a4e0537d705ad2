import type { Principal } from '@crm/access';
import { CUSTOM_OBJECT_LIMITS, PlatformError, type ProvisionedObject } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { normaliseOptions, onDeleteOf } from '@crm/fields';
import { TenantDirectory } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import type { FieldView, ObjectView } from './object.dto.js';
import { ObjectRepository } from './object.repository.js';
import { type AppObject, actingApp, isVisibleTo, noSuchObject, type StoredField } from './object-definition.js';
import { layOut, type ProvisionRequest } from './object-layout.js';
import { ObjectModel } from './object-model.js';

/** The rules of object definitions: who sees which, and how they come and go with packages. */
@Injectable()
export class ObjectService {
  constructor(
    private readonly database: Database,
    private readonly objects: ObjectRepository,
    private readonly tenants: TenantDirectory,
  ) {}

  /** The tenant's objects that the caller sees, with the fields that the caller can read. */
  async list(principal: Principal): Promise<ObjectView[]> {
    const all = await this.database.transaction(principal.tenantId, (tx) => this.objects.list(tx));
    const objects = all.filter((object) => isVisibleTo(object, principal));
    const apiNames = new Map(objects.map(({ id, apiName }) => [id, apiName]));
    return objects.map((object) => objectView(object, principal.roles, apiNames));
  }

  /** @throws NOT_FOUND */
  async get(principal: Principal, apiName: string): Promise<ObjectView> {
    const { object, apiNames } = await this.database.transaction(principal.tenantId, async (tx) => {
      const found = await this.objects.findByApiName(tx, apiName);
      if (!found || !isVisibleTo(found, principal)) throw noSuchObject();
      const targets = found.fields.flatMap(({ referenceObjectIds }) => referenceObjectIds);
      return { object: found, apiNames: await this.namesSeen(tx, principal, targets) };
    });
    return objectView(object, principal.roles, apiNames);
  }

  /**
   * Creates the objects of a package, all or none, under a lock on the tenant's definitions. Idempotent per
   * installation.
   * @throws OBJECT_LIMIT_EXCEEDED when the plan does not allow that many; VALIDATION_FAILED for an uncertifiable
   *   definition
   */
  async provision(tenantId: string, request: ProvisionRequest): Promise<ProvisionedObject[]> {
    const { plan } = await this.tenants.getCurrent(tenantId);
    return this.database.transaction(tenantId, async (tx) => {
      await this.objects.lockDefinitions(tx);
      const present = await this.objects.list(tx);
      const own = present.filter((object) => object.installationId === request.installationId);
      if (own.length > 0) return own.map(named);

      const limit = CUSTOM_OBJECT_LIMITS[plan];
      // Trying an app in a sandbox takes nothing from the plan; sandboxes have the same limit by themselves.
      const counted = present.filter(({ sandbox }) => sandbox === request.sandbox).length;
      if (counted + request.objects.length > limit) {
        throw new PlatformError(
          'OBJECT_LIMIT_EXCEEDED',
          `The ${plan} plan allows ${limit} custom objects; the workspace has ${counted} and the app adds ${request.objects.length}`,
          { members: { limit, present: counted, requested: request.objects.length } },
        );
      }
      const created = layOut(tx, request, present);
      for (const object of created) await this.objects.insert(tx, object);
      return created.map(named);
    });
  }

  /**
   * Removes the objects of an installation.
   * @param discard whether to delete definitions and records; otherwise they are kept, out of reach
   * @returns the number of objects
   */
  async remove(tenantId: string, installationId: string, discard: boolean): Promise<number> {
    return this.database.transaction(tenantId, async (tx) => {
      await this.objects.lockDefinitions(tx);
      return discard ? this.objects.discard(tx, installationId) : this.objects.retire(tx, installationId);
    });
  }

  /** The names of objects by id; an app learns only those of objects that it sees. */
  private async namesSeen(
    tx: TenantTransaction,
    caller: Principal,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    if (actingApp(caller) === null || ids.length === 0) return this.objects.listApiNames(tx, ids);
    const seen = (await this.objects.list(tx)).filter((object) => isVisibleTo(object, caller));
    return new Map(seen.map(({ id, apiName }) => [id, apiName]));
  }
}

const named = (object: AppObject): ProvisionedObject => ({
  declaredApiName: object.declaredApiName,
  apiName: object.apiName,
});

/**
 * A definition with the fields that these roles can read.
 * @param apiNames names in the tenant of the referenced objects, by id
 */
function objectView(object: AppObject, roles: readonly string[], apiNames: ReadonlyMap<string, string>): ObjectView {
  const plan = new ObjectModel(object).planFor(roles);
  return {
    apiName: object.apiName,
    label: object.label,
    pluralLabel: object.pluralLabel,
    description: object.description,
    appKey: object.appKey,
    sandbox: object.sandbox,
    nameField: object.nameField !== null && plan.readable.has(object.nameField) ? object.nameField : null,
    fields: object.fields
      .filter((field) => plan.readable.has(field.apiName))
      .map(
        (field): FieldView => ({
          apiName: field.apiName,
          label: field.label,
          type: field.type,
          required: field.required ?? false,
          isUnique: field.is_unique ?? false,
          readable: true,
          writable: plan.writable.has(field.apiName),
          ...(field.options ? { options: normaliseOptions(field.options) } : {}),
          ...referenceTarget(field, apiNames),
          ...(field.type === 'reference' && { onDelete: onDeleteOf(field) }),
        }),
      ),
  };
}

/** The target's name in this tenant, which can differ from that in the package; absent when it was removed. */
function referenceTarget(field: StoredField, apiNames: ReadonlyMap<string, string>): { referenceTarget?: string } {
  const [targetId] = field.referenceObjectIds;
  if (targetId === undefined || (field.referenceTarget !== undefined && !field.referenceTarget.startsWith('custom:')))
    return field.referenceTarget ? { referenceTarget: field.referenceTarget } : {};
  const apiName = apiNames.get(targetId);
  return apiName === undefined ? {} : { referenceTarget: `custom:${apiName}` };
}
