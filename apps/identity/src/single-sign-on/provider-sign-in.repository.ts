import { secondsFromNow, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { FUTURE, hasChangedOne } from '../tenant-row.js';
import { ProviderSignIn } from './single-sign-on.entity.js';

/** For so long a person may be at the provider. */
export const SIGN_IN_SECONDS = 600;

/** For so long a page may take to exchange the code. */
export const CODE_SECONDS = 60;

type NewSignIn = Pick<
  ProviderSignIn,
  'id' | 'providerId' | 'stateHash' | 'browserHash' | 'nonce' | 'sealedVerifier' | 'fresh' | 'sessionId' | 'userId'
>;

/** What is known of a person whom the provider has authenticated. */
type Outcome = Pick<ProviderSignIn, 'codeHash' | 'userId' | 'hasSecondFactor' | 'signInEpoch' | 'authenticatedAt'>;

@Injectable()
export class ProviderSignInRepository {
  async insert(tx: TenantTransaction, signIn: NewSignIn): Promise<void> {
    await tx.repository(ProviderSignIn).insert({ ...signIn, expiresAt: secondsFromNow(SIGN_IN_SECONDS) });
  }

  /** One that has not expired. */
  async find(tx: TenantTransaction, id: string): Promise<ProviderSignIn | null> {
    return tx.repository(ProviderSignIn).findOneBy({ tenantId: tx.tenantId, id, expiresAt: FUTURE });
  }

  /** @returns whether it is the first time that the browser comes back: of two answers at once only one is looked at */
  async takeReturn(tx: TenantTransaction, id: string): Promise<boolean> {
    return hasChangedOne(
      await tx
        .repository(ProviderSignIn)
        .update({ tenantId: tx.tenantId, id, returnedAt: IsNull() }, { returnedAt: secondsFromNow(0) }),
    );
  }

  /** Notes who it is, and the code with which the page goes on. */
  async complete(tx: TenantTransaction, id: string, outcome: Outcome): Promise<void> {
    await tx
      .repository(ProviderSignIn)
      .update({ tenantId: tx.tenantId, id }, { ...outcome, expiresAt: secondsFromNow(CODE_SECONDS) });
  }

  /** @returns whether it existed: of two exchanges at once only one opens a session */
  async delete(tx: TenantTransaction, id: string): Promise<boolean> {
    return hasChangedOne(await tx.repository(ProviderSignIn).delete({ tenantId: tx.tenantId, id }));
  }
}
