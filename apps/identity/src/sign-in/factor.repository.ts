import { secondsFromNow, type TenantTransaction, type Transaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { FOR_UPDATE, FUTURE, hasChangedOne } from '../tenant-row.js';
import {
  Authenticator,
  type LocalPasswordPolicy,
  MfaChallenge,
  Passkey,
  RecoveryCode,
  type SecondFactorPolicy,
  SignInPolicy,
} from './sign-in.entity.js';

/** Spends a challenge; gives no row when it was spent before. $1: tenant, $2: challenge, $3: when it expires. */
export const SPEND_CHALLENGE = `
  INSERT INTO spent_passkey_challenge (tenant_id, id, expires_at) VALUES ($1, $2, $3)
  ON CONFLICT (tenant_id, id) DO NOTHING
  RETURNING id`;

/**
 * Notes a use; gives no row when the counter has not grown, so that of two uses with the same counter at once one is accepted.
 * An authenticator that does not count says 0 every time. $1: tenant, $2: passkey, $3: counter, $4: whether it is backed up.
 */
export const USE_PASSKEY = `
  UPDATE passkey SET counter = $3, backed_up = $4, last_used_at = now()
   WHERE tenant_id = $1 AND id = $2 AND (counter < $3 OR (counter = 0 AND $3 = 0))
  RETURNING id`;

/** $1: tenant, $2: user. */
export const FIND_ANY_PASSKEY = 'SELECT 1 FROM passkey WHERE tenant_id = $1 AND user_id = $2 LIMIT 1';

export type NewPasskey = Pick<
  Passkey,
  'id' | 'userId' | 'credentialId' | 'publicKey' | 'counter' | 'backedUp' | 'transports' | 'name' | 'personProven'
>;

@Injectable()
export class PasskeyRepository {
  /** Fails with a violation of `passkey_credential_id_key` where the tenant knows the credential. */
  async insert(tx: TenantTransaction, passkey: NewPasskey): Promise<void> {
    await tx.repository(Passkey).insert(passkey);
  }

  /** The oldest first; a user has a few. */
  async list(tx: TenantTransaction, userId: string): Promise<Passkey[]> {
    return tx.repository(Passkey).find({ where: { tenantId: tx.tenantId, userId }, order: { id: 'ASC' } });
  }

  async hasAny(tx: TenantTransaction, userId: string): Promise<boolean> {
    return (await tx.queryPrepared(FIND_ANY_PASSKEY, [tx.tenantId, userId])).length === 1;
  }

  async find(tx: TenantTransaction, userId: string, id: string): Promise<Passkey | null> {
    return tx.repository(Passkey).findOneBy({ tenantId: tx.tenantId, userId, id });
  }

  /** Keeps a passkey until the transaction ends. @returns whether it is there */
  async hold(tx: TenantTransaction, userId: string, id: string): Promise<boolean> {
    const where = { tenantId: tx.tenantId, userId, id };
    return (await tx.repository(Passkey).findOne({ where, lock: { mode: 'pessimistic_read' } })) !== null;
  }

  async findByCredential(tx: TenantTransaction, userId: string, credentialId: Buffer): Promise<Passkey | null> {
    return tx.repository(Passkey).findOneBy({ tenantId: tx.tenantId, userId, credentialId });
  }

  async use(tx: TenantTransaction, id: string, counter: number, backedUp: boolean): Promise<boolean> {
    return (await tx.query(USE_PASSKEY, [tx.tenantId, id, counter, backedUp])).length === 1;
  }

  async rename(tx: TenantTransaction, userId: string, id: string, name: string): Promise<boolean> {
    return hasChangedOne(await tx.repository(Passkey).update({ tenantId: tx.tenantId, userId, id }, { name }));
  }

  async delete(tx: TenantTransaction, userId: string, id: string): Promise<boolean> {
    return hasChangedOne(await tx.repository(Passkey).delete({ tenantId: tx.tenantId, userId, id }));
  }

  async deleteOfUser(tx: TenantTransaction, userId: string): Promise<void> {
    await tx.repository(Passkey).delete({ tenantId: tx.tenantId, userId });
  }
}

@Injectable()
export class RecoveryCodeRepository {
  async insert(tx: TenantTransaction, userId: string, hashes: readonly Buffer[]): Promise<void> {
    await tx.repository(RecoveryCode).insert(hashes.map((codeHash) => ({ tenantId: tx.tenantId, userId, codeHash })));
  }

  /** @returns whether it was there: of two uses at once one succeeds */
  async delete(tx: TenantTransaction, userId: string, codeHash: Buffer): Promise<boolean> {
    return hasChangedOne(await tx.repository(RecoveryCode).delete({ tenantId: tx.tenantId, userId, codeHash }));
  }

  async deleteOfUser(tx: TenantTransaction, userId: string): Promise<void> {
    await tx.repository(RecoveryCode).delete({ tenantId: tx.tenantId, userId });
  }

  async count(tx: TenantTransaction, userId: string): Promise<number> {
    return tx.repository(RecoveryCode).countBy({ tenantId: tx.tenantId, userId });
  }
}

/** Replaces an unfinished enrolment; no row while an authenticator is in use. $1: tenant, $2: user, $3: sealed secret. */
export const START_ENROLMENT = `
  INSERT INTO authenticator AS a (tenant_id, user_id, sealed_secret) VALUES ($1, $2, $3)
  ON CONFLICT (tenant_id, user_id) DO UPDATE SET sealed_secret = EXCLUDED.sealed_secret, created_at = now()
   WHERE a.confirmed_at IS NULL
  RETURNING user_id`;

/** Uses up a step; no row when it or a later one was used. $1: tenant, $2: user, $3: step. */
export const USE_STEP = `
  UPDATE authenticator SET last_step = $3
   WHERE tenant_id = $1 AND user_id = $2 AND confirmed_at IS NOT NULL AND (last_step IS NULL OR last_step < $3)
  RETURNING user_id`;

/** $1: tenant, $2: user. */
export const FIND_AUTHENTICATOR_IN_USE = `
  SELECT 1 FROM authenticator WHERE tenant_id = $1 AND user_id = $2 AND confirmed_at IS NOT NULL`;

@Injectable()
export class AuthenticatorRepository {
  /** @returns whether it began: not while the user has an authenticator */
  async start(tx: TenantTransaction, userId: string, sealedSecret: Buffer): Promise<boolean> {
    return (await tx.query(START_ENROLMENT, [tx.tenantId, userId, sealedSecret])).length === 1;
  }

  async find(tx: TenantTransaction, userId: string): Promise<Authenticator | null> {
    return tx.repository(Authenticator).findOneBy({ tenantId: tx.tenantId, userId });
  }

  async lock(tx: TenantTransaction, userId: string): Promise<Authenticator | null> {
    return tx.repository(Authenticator).findOne({ where: { tenantId: tx.tenantId, userId }, lock: FOR_UPDATE });
  }

  async isInUse(tx: TenantTransaction, userId: string): Promise<boolean> {
    return (await tx.queryPrepared(FIND_AUTHENTICATOR_IN_USE, [tx.tenantId, userId])).length === 1;
  }

  async confirm(tx: TenantTransaction, userId: string, lastStep: number, personProven: boolean): Promise<void> {
    await tx
      .repository(Authenticator)
      .update({ tenantId: tx.tenantId, userId }, { confirmedAt: secondsFromNow(0), lastStep, personProven });
  }

  async useStep(tx: TenantTransaction, userId: string, step: number): Promise<boolean> {
    return (await tx.query(USE_STEP, [tx.tenantId, userId, step])).length === 1;
  }

  async delete(tx: TenantTransaction, userId: string): Promise<boolean> {
    return hasChangedOne(await tx.repository(Authenticator).delete({ tenantId: tx.tenantId, userId }));
  }
}

/** $1: tenant, $2: challenge, $3: tries that it has. */
export const TAKE_TRY = `
  UPDATE mfa_challenge SET attempts = attempts + 1
   WHERE tenant_id = $1 AND id = $2 AND attempts < $3 AND expires_at > now()
  RETURNING id`;

@Injectable()
export class MfaChallengeRepository {
  /** Adds a challenge; it replaces the user's others, so that one is valid at a time. */
  async replace(tx: TenantTransaction, challenge: Omit<MfaChallenge, 'tenantId' | 'attempts'>): Promise<void> {
    await tx.repository(MfaChallenge).delete({ tenantId: tx.tenantId, userId: challenge.userId });
    await tx.repository(MfaChallenge).insert({ ...challenge, attempts: 0 });
  }

  async find(tx: TenantTransaction, id: string): Promise<MfaChallenge | null> {
    return tx.repository(MfaChallenge).findOneBy({ tenantId: tx.tenantId, id, expiresAt: FUTURE });
  }

  async takeTry(tx: TenantTransaction, id: string, maxTries: number): Promise<boolean> {
    return (await tx.query(TAKE_TRY, [tx.tenantId, id, maxTries])).length === 1;
  }

  /** @returns whether it existed: of two right answers at once only one opens a session */
  async delete(tx: TenantTransaction, id: string): Promise<boolean> {
    return hasChangedOne(await tx.repository(MfaChallenge).delete({ tenantId: tx.tenantId, id }));
  }
}

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
