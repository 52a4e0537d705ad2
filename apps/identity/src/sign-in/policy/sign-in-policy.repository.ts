import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { type SecondFactorPolicy, SignInPolicy } from './sign-in-policy.entity.js';
import { READ_SECOND_FACTOR_POLICY } from './sign-in-policy.sql.js';

@Injectable()
export class SignInPolicyRepository {
  async get(tx: TenantTransaction): Promise<SecondFactorPolicy> {
    const [policy] = await tx.queryPrepared<Pick<SignInPolicy, 'secondFactor'>>(READ_SECOND_FACTOR_POLICY, [
      tx.tenantId,
    ]);
    return policy?.secondFactor ?? 'optional';
  }

  async set(tx: TenantTransaction, secondFactor: SecondFactorPolicy): Promise<void> {
    await tx.repository(SignInPolicy).upsert({ tenantId: tx.tenantId, secondFactor }, ['tenantId']);
  }
}
