import type { TenantTransaction, Transaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { type SecondFactorPolicy, SignInPolicy } from './sign-in-policy.entity.js';

/** $1: tenant. */
export const READ_SIGN_IN_POLICY = `
  SELECT second_factor AS "secondFactor", single_sign_on AS "singleSignOn" FROM sign_in_policy WHERE tenant_id = $1`;

@Injectable()
export class SignInPolicyRepository {
  /** All that the workspace demands. */
  async read(tx: TenantTransaction): Promise<{ secondFactor: SecondFactorPolicy; singleSignOn: boolean }> {
    const [policy] = await tx.queryPrepared<Pick<SignInPolicy, 'secondFactor' | 'singleSignOn'>>(READ_SIGN_IN_POLICY, [
      tx.tenantId,
    ]);
    return { secondFactor: policy?.secondFactor ?? 'optional', singleSignOn: policy?.singleSignOn === 'required' };
  }

  /** Whether passwords are refused; also for the narrow role, in the context of the tenant. */
  async requiresSingleSignOn(tx: Transaction, tenantId: string): Promise<boolean> {
    return tx.repository(SignInPolicy).existsBy({ tenantId, singleSignOn: 'required' });
  }

  async get(tx: TenantTransaction): Promise<SecondFactorPolicy> {
    return (await this.read(tx)).secondFactor;
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
