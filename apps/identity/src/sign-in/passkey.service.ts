import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, isUniqueViolation, newId, type TenantTransaction } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import type { AuditAction } from '../audit/audit-actions.js';
import { AuditTrail, userActor } from '../audit/audit-trail.service.js';
import { noting, RefusedActs, refusedSignIn } from '../audit/refused-acts.js';
import { deviceOf } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { UserRepository } from '../people/people.repository.js';
import { PLATFORM_TENANT, tenantOf } from '../platform-tenant.js';
import { PersonSessionService } from '../sessions/person-session.service.js';
import { RecentProof, sessionOf } from '../sessions/proof.service.js';
import { type SessionIssuer, SessionService, type SignInOrigin } from '../sessions/session.service.js';
import { challengeIn, parseRegistration, type RelyingParty, verifyRegistration } from './ceremony.js';
import { DeviceTokens, type PasswordHolder, type SignInOutcome } from './device-tokens.js';
import { PasskeyRepository } from './factor.repository.js';
import { FactorNoticeService } from './factor-notice.service.js';
import { SignInLimit } from './guess-limits.js';
import type { PasskeyAnswerInput, PasskeyInput, PasskeyView } from './passkey.dto.js';
import {
  assertionOptions,
  type PasskeyAccount,
  PasskeyAssertionService,
  PasskeyChallengeService,
  type PasskeyOptions,
  registrationOptions,
} from './passkey-challenge.service.js';
import type { Passkey } from './sign-in.entity.js';

export const MOST_PASSKEYS = 10;

/** What the passkeys of users and of operators have in common: everything but whose they are. */
export interface PasskeyHolders {
  readonly kind: 'users' | 'operators';
  /** Null where the platform has no address that browsers accept. */
  readonly party: RelyingParty | null;
  readonly sessions: SessionIssuer;
  /** Reads an account and holds it until the transaction ends. @returns null for one who is not active */
  lock(tx: TenantTransaction, id: string): Promise<{ email: string; name: string } | null>;
  /** @throws PlatformError with what stands in the way */
  admit(tx: TenantTransaction, id: string): Promise<(PasswordHolder & { signInEpoch: number }) | null>;
}

@Injectable()
export class PasskeyParts {
  constructor(
    readonly database: Database,
    readonly passkeys: PasskeyRepository,
    readonly challenges: PasskeyChallengeService,
    readonly assertions: PasskeyAssertionService,
    readonly notices: FactorNoticeService,
    readonly limit: SignInLimit,
    readonly proof: RecentProof,
    readonly ofPerson: PersonSessionService,
    readonly trail: AuditTrail,
    readonly refusals: RefusedActs,
    readonly devices: DeviceTokens,
  ) {}

  /** Removes every passkey of a user, because someone else may have added one. @returns what was removed */
  async removeAll(tx: TenantTransaction, userId: string): Promise<Passkey[]> {
    const removed = await this.passkeys.list(tx, userId);
    await this.passkeys.deleteOfUser(tx, userId);
    const act = { action: 'passkey.removed', actor: userActor(userId), subject: { kind: 'user', id: userId } } as const;
    for (const { id } of removed) this.trail.record(tx, { ...act, detail: { passkeyId: id } });
    return removed;
  }
}

export abstract class Passkeys {
  protected constructor(
    private readonly parts: PasskeyParts,
    private readonly holders: PasskeyHolders,
  ) {}

  /** @throws PlatformError STEP_UP_REQUIRED; CONFLICT with ten passkeys, and where there are none */
  async registrationOptions(principal: Principal): Promise<PasskeyOptions<PublicKeyCredentialCreationOptionsJSON>> {
    const party = this.party();
    const sessionId = sessionOf(principal);
    const tenantId = tenantOf(principal);
    const { holder, existing } = await this.parts.database.transaction(tenantId, (tx) =>
      this.lockBelowLimit(tx, principal.userId),
    );
    const challenge = this.parts.challenges.issue({ act: 'registration', sessionId });
    return registrationOptions(party, challenge, { tenantId, id: principal.userId, ...holder }, existing);
  }

  /** @throws PlatformError STEP_UP_REQUIRED, INVALID_CREDENTIALS; CONFLICT with ten passkeys, or for a known one */
  async register(principal: Principal, input: PasskeyInput, userAgent: string | null): Promise<Passkey> {
    const { challengeId, credential, name } = input;
    const party = this.party();
    const sessionId = sessionOf(principal);
    const response = parseRegistration(credential);
    const challenge = challengeIn(response.response);
    await this.parts.challenges.spend({ act: 'registration', sessionId }, challengeId, challenge);
    const verified = await verifyRegistration(response, challenge, party);
    const { userId } = principal;
    const passkey = { id: newId(), userId, name: name?.trim() || (deviceOf(userAgent) ?? 'Passkey'), ...verified };
    // A passkey opens no more than the session does in which it was set up.
    const personProven = this.holders.kind === 'users' && (await this.parts.ofPerson.isOfPerson(principal));
    try {
      return await this.parts.database.transaction(inTenant(principal), async (tx) => {
        await this.lockBelowLimit(tx, userId);
        // Again, now that the account cannot change: a passkey must not outlive what ended the session meanwhile.
        await this.parts.proof.assertWithin(tx, principal);
        await this.parts.passkeys.insert(tx, { ...passkey, personProven });
        await this.parts.notices.send(tx, userId, { change: 'passkey-added', name: passkey.name });
        this.record(tx, 'passkey.added', userId, passkey.id);
        return this.require(tx, userId, passkey.id);
      });
    } catch (error) {
      if (!isUniqueViolation(error, 'passkey_credential_id_key')) throw error;
      throw new PlatformError('CONFLICT', 'The passkey is already registered');
    }
  }

  async list(principal: Principal): Promise<Passkey[]> {
    return this.parts.database.transaction(tenantOf(principal), (tx) => this.parts.passkeys.list(tx, principal.userId));
  }

  async rename(principal: Principal, id: string, name: string): Promise<Passkey> {
    return this.parts.database.transaction(tenantOf(principal), async (tx) => {
      await this.parts.passkeys.rename(tx, principal.userId, id, name.trim());
      return this.require(tx, principal.userId, id);
    });
  }

  /** Sessions that it opened go on. @throws PlatformError STEP_UP_REQUIRED, NOT_FOUND */
  async remove(principal: Principal, id: string): Promise<void> {
    await this.parts.database.transaction(inTenant(principal), async (tx) => {
      // Held, so that nothing ends the session between the proof and the removal.
      await this.holders.lock(tx, principal.userId);
      await this.parts.proof.assertWithin(tx, principal);
      const { name } = await this.require(tx, principal.userId, id);
      const removed = await this.parts.passkeys.delete(tx, principal.userId, id);
      if (!removed) throw notFound();
      await this.parts.notices.send(tx, principal.userId, { change: 'passkey-removed', name });
      this.record(tx, 'passkey.removed', principal.userId, id);
    });
  }

  /** The same for everybody: who signs in is known once their authenticator says so. @throws PlatformError CONFLICT */
  signInOptions(): PasskeyOptions<PublicKeyCredentialRequestOptionsJSON> {
    const { kind } = this.holders;
    return assertionOptions(this.party(), this.parts.challenges.issue({ act: 'sign-in', kind }), []);
  }

  /**
   * Possession, and knowledge or a trait, are both proven: no second factor is asked for.
   * @throws PlatformError SINGLE_SIGN_ON_REQUIRED, INVALID_CREDENTIALS, RATE_LIMITED, CONFLICT where there are no
   * passkeys
   */
  async signIn(answer: PasskeyAnswerInput, origin: SignInOrigin): Promise<SignInOutcome> {
    const party = this.party();
    const { kind, sessions, admit } = this.holders;
    const { tenantId, userId, passkeyId, personProven } = await this.parts.limit.attempt(
      `passkey:${claimedHandle(answer)}`,
      origin.address,
      async () => {
        const isOwner = ({ tenantId }: PasskeyAccount) => (tenantId === PLATFORM_TENANT) === (kind === 'operators');
        return this.parts.assertions.check({ act: 'sign-in', kind }, party, answer, isOwner, origin);
      },
    );
    // After the proof, and not a failed attempt: anyone who is told that they have to sign in elsewhere has proven who they are.
    const entries = kind === 'users' ? refusedSignIn(userId, 'passkey') : {};
    return noting(this.parts.refusals, { ...origin, tenantId }, entries, async () => {
      const holder = await this.parts.database.transaction(tenantId, async (tx) => {
        // Sent together. What removes passkeys because others may have them begins an epoch with it, and waits for the one that is held.
        const [found, isThere] = await Promise.all([
          admit(tx, userId),
          this.parts.passkeys.hold(tx, userId, passkeyId),
        ]);
        return isThere ? found : null;
      });
      if (!holder) throw new PlatformError('INVALID_CREDENTIALS', "The passkey wasn't accepted");
      const proven = { ...origin, method: 'passkey', epoch: holder.signInEpoch, personProven };
      // Its guesses are at the password of the person, for whom not every passkey speaks.
      const deviceToken = personProven || kind === 'operators' ? this.parts.devices.issue(holder) : undefined;
      return { answer: await sessions.open(tenantId, userId, proven), deviceToken };
    });
  }

  /** @throws PlatformError FORBIDDEN for a token without a session; CONFLICT without a passkey */
  async stepUpOptions(principal: Principal): Promise<PasskeyOptions<PublicKeyCredentialRequestOptionsJSON>> {
    const party = this.party();
    const sessionId = sessionOf(principal);
    const own = await this.list(principal);
    if (own.length === 0) throw new PlatformError('CONFLICT', 'The account has no passkey');
    return assertionOptions(party, this.parts.challenges.issue({ act: 'step-up', sessionId }), own);
  }

  /** @throws PlatformError INVALID_CREDENTIALS, RATE_LIMITED; FORBIDDEN for a token without a session */
  async stepUp(principal: Principal, answer: PasskeyAnswerInput): Promise<void> {
    const party = this.party();
    const sessionId = sessionOf(principal);
    const { userId } = principal;
    const own = { tenantId: tenantOf(principal), userId };
    await this.parts.limit.attempt(`passkey-step-up:${userId}`, userId, async () => {
      const isOwner = (account: PasskeyAccount) => account.tenantId === own.tenantId && account.userId === userId;
      await this.parts.assertions.check({ act: 'step-up', sessionId }, party, answer, isOwner, principal, own);
    });
    await this.parts.proof.note(principal);
  }

  private record(tx: TenantTransaction, action: AuditAction, userId: string, passkeyId: string): void {
    this.parts.trail.record(tx, { action, subject: { kind: 'user', id: userId }, detail: { passkeyId } });
  }

  private party(): RelyingParty {
    if (!this.holders.party) throw new PlatformError('CONFLICT', "Passkeys aren't available on this platform");
    return this.holders.party;
  }

  /** Holds the account, so that two registrations at once do not both stay below the limit. @throws PlatformError NOT_FOUND, CONFLICT */
  private async lockBelowLimit(tx: TenantTransaction, userId: string) {
    const holder = await this.holders.lock(tx, userId);
    if (!holder) throw new PlatformError('NOT_FOUND', 'User not found');
    const existing = await this.parts.passkeys.list(tx, userId);
    if (existing.length >= MOST_PASSKEYS) {
      throw new PlatformError('CONFLICT', `An account can have up to ${MOST_PASSKEYS} passkeys`);
    }
    return { holder: { email: holder.email, name: holder.name }, existing };
  }

  private async require(tx: TenantTransaction, userId: string, id: string): Promise<Passkey> {
    const passkey = await this.parts.passkeys.find(tx, userId, id);
    if (!passkey) throw notFound();
    return passkey;
  }
}

const inTenant = (principal: Principal) => ({ ...principal, tenantId: tenantOf(principal) });

/** Failures are counted by whom the answer names; what is not the handle of an account is counted together. */
function claimedHandle({ credential }: PasskeyAnswerInput): string {
  const { userHandle } = (credential.response ?? {}) as { userHandle?: unknown };
  return typeof userHandle === 'string' && userHandle.length <= 64 ? userHandle : 'nobody';
}

const notFound = () => new PlatformError('NOT_FOUND', 'Passkey not found');

@Injectable()
export class PasskeyService extends Passkeys {
  constructor(
    parts: PasskeyParts,
    sessions: SessionService,
    users: UserRepository,
    @Inject(IDENTITY_CONFIG) config: IdentityConfig,
  ) {
    super(parts, {
      kind: 'users',
      party: config.passkeys.users,
      sessions,
      lock: async (tx, id) => {
        const user = await users.lock(tx, id);
        return user?.status === 'active' ? user : null;
      },
      admit: async (tx, id) => {
        // Sent together: one round trip.
        const [user, needsProvider] = await Promise.all([users.find(tx, id), users.needsProvider(tx, tx.tenantId, id)]);
        // Passwords are refused for the same reason.
        if (needsProvider) throw new PlatformError('SINGLE_SIGN_ON_REQUIRED');
        return user;
      },
    });
  }
}

export function passkeyView({ id, name, backedUp, createdAt, lastUsedAt }: Passkey): PasskeyView {
  return {
    id,
    name,
    synced: backedUp,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}
