import { type Plan, PlatformError } from '@crm/contracts';
import { Database, inWorkspace, newId } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../../config.js';
import { PasswordService } from '../password/password.service.js';
import { type NewTenant, TenantRepository } from '../tenant/tenant.repository.js';
import { normaliseEmail } from '../user/email-address.js';
import type { NewUser } from '../user/user.repository.js';
import { UserService } from '../user/user.service.js';

export interface Registration {
  email: string;
  password: string;
  name: string;
  workspace: { name: string; plan?: Plan; timeZone?: string; country?: string | null };
}

/** Opens workspaces. The tenant, its owner, the address that signs in and the event commit together or not at all. */
@Injectable()
export class RegistrationService {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantRepository,
    private readonly users: UserService,
    private readonly passwords: PasswordService,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /**
   * @param address where the registration comes from
   * @returns the owner and the workspace
   * @throws PlatformError PLAN_NOT_ALLOWED, VALIDATION_FAILED, EMAIL_TAKEN, SERVICE_UNAVAILABLE
   */
  async register(registration: Registration, address?: string): Promise<{ user: NewUser; tenant: NewTenant }> {
    const { workspace } = registration;
    const plan = workspace.plan ?? 'developer';
    if (plan !== 'developer' && this.config.service.profile === 'production') {
      throw new PlatformError('PLAN_NOT_ALLOWED');
    }
    assertTimeZone(workspace.timeZone);
    const tenant: NewTenant = {
      id: newId(),
      name: workspace.name.trim(),
      plan,
      timeZone: workspace.timeZone ?? 'UTC',
      country: workspace.country ?? null,
    };
    const user: NewUser = {
      id: newId(),
      email: normaliseEmail(registration.email),
      name: registration.name.trim(),
      roles: ['owner'],
      status: 'active',
      origin: 'registration',
      passwordHash: await this.passwords.hash(registration.password, address),
    };
    await inWorkspace(this.database, tenant.id, async (tx) => {
      await this.tenants.insert(tx, tenant);
      await this.users.add(tx, tenant.id, user);
    });
    return { user, tenant };
  }
}

/** @throws PlatformError VALIDATION_FAILED for a name that is not in the IANA database */
function assertTimeZone(timeZone: string | undefined): void {
  if (timeZone === undefined) return;
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch (cause) {
    const detail = 'There is no such time zone';
    const errors = [{ pointer: '/workspace/timeZone', code: 'TIME_ZONE', detail }];
    throw new PlatformError('VALIDATION_FAILED', undefined, { errors, cause });
  }
}
