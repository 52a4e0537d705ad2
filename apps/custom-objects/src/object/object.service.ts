import type { Principal } from '@crm/context';
import { CUSTOM_OBJECT_LIMITS, PlatformError, type ProvisionedObject } from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import { checkDefinition, type FieldDefinition } from '@crm/fields';
import { TenantDirectory } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import type { CustomObject, DeclaredObject, StoredField } from './custom-object.js';
import type { ObjectView } from './object.dto.js';
import { ObjectRepository } from './object.repository.js';
import { ObjectModel } from './object-model.js';
import { presentObject } from './present-object.js';
import { assignSlots } from './slots.js';
import { tenantApiName } from './tenant-api-name.js';

export interface ProvisionRequest {
  readonly installationId: string;
  readonly appKey: string;
  readonly sandbox: boolean;
  readonly objects: readonly DeclaredObject[];
}

/** Rules of object definitions: who has which, and how packages bring and take them. */
@Injectable()
export class ObjectService {
  constructor(
    private readonly database: Database,
    private readonly objects: ObjectRepository,
    private readonly tenants: TenantDirectory,
  ) {}

  /** The tenant's objects with the fields the caller may read. */
  async list(principal: Principal): Promise<ObjectView[]> {
    const objects = await this.database.transaction(principal.tenantId, (tx) => this.objects.list(tx));
    const apiNames = new Map(objects.map(({ id, apiName }) => [id, apiName]));
    return objects.map((object) => presentObject(new ObjectModel(object), principal.roles, apiNames));
  }

  async get(principal: Principal, apiName: string): Promise<ObjectView> {
    const { object, apiNames } = await this.database.transaction(principal.tenantId, async (tx) => {
      const found = await this.objects.findByApiName(tx, apiName);
      if (!found) throw new PlatformError('NOT_FOUND', 'There is no such object');
      const targets = found.fields.flatMap(({ referenceObjectId }) => referenceObjectId ?? []);
      return { object: found, apiNames: await this.objects.apiNames(tx, targets) };
    });
    return presentObject(new ObjectModel(object), principal.roles, apiNames);
  }

  /**
   * Puts a package's objects in place, all or none, in one transaction that holds the tenant's lock while it counts.
   * Asking again for the same installation answers with what is there.
   * @throws OBJECT_LIMIT_EXCEEDED when the plan does not allow as many
   */
  async provision(tenantId: string, request: ProvisionRequest): Promise<ProvisionedObject[]> {
    const { plan } = await this.tenants.getCurrent(tenantId);
    return this.database.transaction(tenantId, async (tx) => {
      await this.objects.lockTenant(tx);
      const present = await this.objects.list(tx);
      const own = present.filter((object) => object.installationId === request.installationId);
      if (own.length > 0) return own.map(named);

      const limit = CUSTOM_OBJECT_LIMITS[plan];
      if (present.length + request.objects.length > limit) {
        throw new PlatformError(
          'OBJECT_LIMIT_EXCEEDED',
          `The ${plan} plan allows ${limit} custom objects; ${present.length} are there and the app brings ${request.objects.length}`,
          { members: { limit, present: present.length, requested: request.objects.length } },
        );
      }
      const created = layOut(tx, request, present);
      for (const object of created) await this.objects.insert(tx, object);
      return created.map(named);
    });
  }

  /** Takes away what an installation brought: definitions only, or with `discard` every trace. */
  async remove(tenantId: string, installationId: string, discard: boolean): Promise<number> {
    return this.database.transaction(tenantId, async (tx) => {
      await this.objects.lockTenant(tx);
      return discard ? this.objects.discard(tx, installationId) : this.objects.retire(tx, installationId);
    });
  }
}

const named = (object: CustomObject): ProvisionedObject => ({
  declaredApiName: object.declaredApiName,
  apiName: object.apiName,
});

/** Names and ids first, because objects of a package may refer to each other in any order; then the fields. */
function layOut(tx: TenantTransaction, request: ProvisionRequest, present: readonly CustomObject[]): CustomObject[] {
  const taken = new Set(present.map((object) => object.apiName));
  const heads = request.objects.map((declared) => {
    const apiName = tenantApiName(declared.apiName, request.appKey, request.sandbox, (name) => taken.has(name));
    taken.add(apiName);
    return { declared, apiName, id: newId() };
  });
  const resolveTarget = (field: FieldDefinition): string | null => {
    const name = field.referenceTarget?.startsWith('custom:') ? field.referenceTarget.slice('custom:'.length) : null;
    if (field.type !== 'reference' || name === null) return null;
    const target =
      heads.find((head) => head.declared.apiName === name)?.id ?? present.find((object) => object.apiName === name)?.id;
    if (!target) {
      throw new PlatformError(
        'VALIDATION_FAILED',
        `The reference ${field.apiName} points to ${name}, which is not there`,
      );
    }
    return target;
  };
  return heads.map(({ declared, apiName, id }) => {
    refuseInconsistent(declared);
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
      fields: declared.fields.map(
        (field): StoredField => ({
          ...field,
          id: newId(),
          label: field.label ?? field.apiName,
          slot: slots.get(field.apiName) ?? null,
          referenceObjectId: resolveTarget(field),
        }),
      ),
    };
  });
}

/** A certified package has passed this; a definition that did not must never reach the record engine. */
function refuseInconsistent(declared: DeclaredObject): void {
  const problems = checkDefinition(declared.fields);
  if (problems.length > 0) {
    throw new PlatformError('VALIDATION_FAILED', `The object ${declared.apiName} is not consistent`, {
      errors: problems,
    });
  }
}
