import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { type SecondFactorPolicy, SignInPolicy } from './sign-in-policy.entity.js';

@Injectable()
export class SignInPolicyRepository {
  async get(tx: TenantTransaction): Promise<SecondFactorPolicy> {
    const policy = await tx.repository(SignInPolicy).findOneBy({ tenantId: tx.tenantId });
    return policy?.secondFactor ?? 'optional';
  }

  async set(tx: TenantTransaction, secondFactor: SecondFactorPolicy): Promise<void> {
    await tx.repository(SignInPolicy).upsert({ tenantId: tx.tenantId, secondFactor }, ['tenantId']);
  }
}
