import type { Principal } from '@crm/access';
import { CUSTOM_OBJECT_LIMITS, PlatformError, type ProvisionedObject } from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import { checkDefinition, type FieldDefinition } from '@crm/fields';
import { TenantDirectory } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import type { ObjectView } from './object.dto.js';
import { ObjectRepository } from './object.repository.js';
import { objectView } from './object.view.js';
import { actingApp, isVisibleTo, noSuchObject } from './object-access.js';
import type { AppObject, DeclaredObject, StoredField } from './object-definition.js';
import { assignSlots } from './slot.js';
import { standardObjectNamed } from './standard-objects.js';
import { tenantApiName } from './tenant-api-name.js';

export interface ProvisionRequest {
  readonly installationId: string;
  readonly appKey: string;
  readonly sandbox: boolean;
  readonly objects: readonly DeclaredObject[];
}

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
   * Creates the objects of a package, all or none, in one transaction that locks the tenant's definitions while it counts
   * them. A repetition for the same installation returns what is there.
   * @throws OBJECT_LIMIT_EXCEEDED when the plan does not allow that many; VALIDATION_FAILED for a definition that
   *   certification would refuse
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
   * @param discard whether their records and definitions are deleted; otherwise they are kept, out of reach
   * @returns how many objects there were
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

/** Names and ids first, because objects of a package can refer to each other in any order; then the fields. */
function layOut(tx: TenantTransaction, request: ProvisionRequest, present: readonly AppObject[]): AppObject[] {
  const taken = new Set(present.map((object) => object.apiName));
  const heads = request.objects.map((declared) => {
    const apiName = tenantApiName(declared.apiName, request.appKey, request.sandbox, (name) => taken.has(name));
    taken.add(apiName);
    return { declared, apiName, id: newId() };
  });
  const resolveTarget = (field: FieldDefinition): string[] => {
    if (field.type !== 'reference' || field.referenceTarget === undefined) return [];
    const standard = standardObjectNamed(field.referenceTarget);
    if (standard) return [standard.id];
    const name = field.referenceTarget.replace(/^custom:/, '');
    const target =
      heads.find((head) => head.declared.apiName === name)?.id ?? present.find((object) => object.apiName === name)?.id;
    if (!target) {
      throw new PlatformError(
        'VALIDATION_FAILED',
        `The reference ${field.apiName} points to ${name}, which does not exist`,
      );
    }
    return [target];
  };
  return heads.map(({ declared, apiName, id }) => {
    assertConsistent(declared);
    const slots = assignSlots(declared.fields);
    return {
      id,
      tenantId: tx.tenantId,
      installationId: request.installationId,
      appKey: request.appKey,
      sandbox: request.sandbox,
      declaredApiName: declared.apiName,
      apiName,
      label: declared.label ?? declared.apiName,
      pluralLabel: declared.pluralLabel ?? declared.label ?? declared.apiName,
      description: declared.description ?? null,
      nameField: declared.nameField ?? null,
      revision: 1,
      standard: null,
      fields: declared.fields.map(
        (field, index): StoredField => ({
          ...field,
          id: newId(),
          key: index + 1,
          label: field.label ?? field.apiName,
          slot: slots.get(field.apiName) ?? null,
          referenceObjectIds: resolveTarget(field),
        }),
      ),
    };
  });
}

/** Certified packages have passed this; the record engine relies on it. */
function assertConsistent(declared: DeclaredObject): void {
  const problems = checkDefinition(declared.fields);
  if (problems.length > 0) {
    throw new PlatformError('VALIDATION_FAILED', `The object ${declared.apiName} is not consistent`, {
      errors: problems,
    });
  }
}
