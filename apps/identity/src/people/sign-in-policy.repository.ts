import { type TenantTransaction, type Transaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { type LocalPasswordPolicy, type SecondFactorPolicy, SignInPolicy } from './sign-in-policy.entity.js';

/** $1: tenant. */
export const READ_SIGN_IN_POLICY = `
  SELECT second_factor AS "secondFactor", single_sign_on AS "singleSignOn" FROM sign_in_policy WHERE tenant_id = $1`;

@Injectable()
export class SignInPolicyRepository {
  async read(tx: TenantTransaction): Promise<{ secondFactor: SecondFactorPolicy; singleSignOn: boolean }> {
    const [policy] = await tx.queryPrepared<Pick<SignInPolicy, 'secondFactor' | 'singleSignOn'>>(READ_SIGN_IN_POLICY, [
      tx.tenantId,
    ]);
    return { secondFactor: policy?.secondFactor ?? 'optional', singleSignOn: policy?.singleSignOn === 'required' };
  }

  /** Returns whether passwords are refused; also for the narrow role, in the context of the tenant. */
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
    await this.setOne(tx, 'single_sign_on', { singleSignOn: required ? 'required' : 'optional' });
  }

  /** @returns null until an owner has decided */
  async localPasswords(tx: TenantTransaction): Promise<LocalPasswordPolicy | null> {
    return (await tx.repository(SignInPolicy).findOneBy({ tenantId: tx.tenantId }))?.localPasswords ?? null;
  }

  async setLocalPasswords(tx: TenantTransaction, localPasswords: LocalPasswordPolicy): Promise<void> {
    await this.setOne(tx, 'local_passwords', { localPasswords });
  }

  /** The rest of the policy stays. */
  private async setOne(tx: TenantTransaction, column: string, value: Partial<SignInPolicy>): Promise<void> {
    await tx
      .repository(SignInPolicy)
      .createQueryBuilder()
      .insert()
      .values({ secondFactor: 'optional', ...value })
      .orUpdate([column], ['tenant_id'])
      .execute();
  }
}
