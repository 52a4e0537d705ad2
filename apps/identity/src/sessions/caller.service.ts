import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { BooleanField, field, ListField, ObjectField } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { shownAddress } from '../people/people.entity.js';
import { TenantService } from '../people/tenant.service.js';
import { UserRepository } from '../people/user.repository.js';
import { UserSummaryView } from '../people/user-summary.dto.js';
import { Workspace } from '../people/workspace.dto.js';

export class CallerView extends UserSummaryView {
  @ListField(field.text({ maxLength: 40 }), {
    description: 'Scopes that limit the token; an empty list means that only the role decides',
  })
  scopes: string[];

  @BooleanField() mfaEnabled: boolean;
  @ObjectField(() => Workspace) tenant: Workspace;
}

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
      if (!user) throw new PlatformError('NOT_FOUND', 'User not found');
      return {
        id: user.id,
        email: shownAddress(user),
        name: user.name,
        roles: [...principal.roles],
        scopes: [...principal.scopes],
        mfaEnabled: user.mfaEnabled,
        tenant,
      };
    });
  }
}
