import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { type SecondFactorPolicy, SignInPolicy } from './sign-in-policy.entity.js';

@Injectable()
export class SignInPolicyRepository {
  /** All that the workspace demands. */
  async read(tx: TenantTransaction): Promise<{ secondFactor: SecondFactorPolicy; singleSignOn: boolean }> {
    const policy = await tx.repository(SignInPolicy).findOneBy({ tenantId: tx.tenantId });
    return { secondFactor: policy?.secondFactor ?? 'optional', singleSignOn: policy?.singleSignOn === 'required' };
  }

  async get(tx: TenantTransaction): Promise<SecondFactorPolicy> {
    const policy = await tx.repository(SignInPolicy).findOneBy({ tenantId: tx.tenantId });
    return policy?.secondFactor ?? 'optional';
  }

  async set(tx: TenantTransaction, secondFactor: SecondFactorPolicy): Promise<void> {
    await tx.repository(SignInPolicy).upsert({ tenantId: tx.tenantId, secondFactor }, ['tenantId']);
  }

  async setSingleSignOn(tx: TenantTransaction, required: boolean): Promise<void> {
    await tx
      .repository(SignInPolicy)
      .createQueryBuilder()
      .insert()
      .values({ secondFactor: 'optional', singleSignOn: required ? 'required' : 'optional' })
      .orUpdate(['single_sign_on'], ['tenant_id'])
      .execute();
  }
}
