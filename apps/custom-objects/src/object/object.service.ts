import { CUSTOM_OBJECT_LIMITS, PlatformError, type ProvisionedObject } from '@crm/contracts';
import { Database } from '@crm/database';
import { TenantDirectory } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { type InstalledObject, ObjectRepository } from './object.repository.js';
import { layOut, type ProvisionRequest } from './object-layout.js';

/** The rules of object definitions: how they come and go with packages. */
@Injectable()
export class ObjectService {
  constructor(
    private readonly database: Database,
    private readonly objects: ObjectRepository,
    private readonly tenants: TenantDirectory,
  ) {}

  /** Fields that one of the roles opens, and none of those that are held. */
  listFieldsOfRoles(tenantId: string, roles: readonly string[], held: readonly string[]): Promise<string[]> {
    return this.database.transaction(tenantId, (tx) => this.objects.listFieldsOfRoles(tx, roles, held));
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
          `The ${plan} plan allows ${limit} custom objects. The workspace has ${counted} and the app adds ${request.objects.length}`,
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
}

const named = (object: InstalledObject): ProvisionedObject => ({
  declaredApiName: object.declaredApiName,
  apiName: object.apiName,
});
