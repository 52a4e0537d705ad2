import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { TenantService } from '../../accounts/tenant/tenant.service.js';
import { UserRepository } from '../../accounts/user/user.repository.js';
import type { CallerView } from './caller.dto.js';

/** Describes the current user. */
@Injectable()
export class CallerService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly tenants: TenantService,
  ) {}

  /** Roles and scopes are the token's, which count; the rest is what is stored now. */
  async describe(principal: Principal): Promise<CallerView> {
    return this.database.transaction(principal.tenantId, async (tx) => {
      // Sent together: one round trip.
      const [user, tenant] = await Promise.all([this.users.find(tx, principal.userId), this.tenants.view(tx)]);
      if (!user) throw new PlatformError('NOT_FOUND', 'There is no such user');
      return {
        id: user.id,
        email: user.email,
        name: user.name,
        roles: [...principal.roles],
        scopes: [...principal.scopes],
        mfaEnabled: user.mfaEnabled,
        tenant,
      };
    });
  }
}
