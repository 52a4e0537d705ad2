import { randomBytes } from 'node:crypto';
import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import { SecretBox } from '@crm/encryption';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { RequestOrigin } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import type { User } from '../people/people.entity.js';
import { UserRepository } from '../people/people.repository.js';
import { normaliseEmail } from '../people/people.service.js';
import { hashSecret, isSecret, newSecret, packToken, unpackToken } from '../secrets.js';
import { SessionRepository } from '../sessions/session.repository.js';
import { SessionService, type SignInOrigin } from '../sessions/session.service.js';
import { TokenSigner } from '../sessions/signing-key.service.js';
import { SignInPolicyRepository } from '../sign-in/factor.repository.js';
import { MfaRequestService, type SignInAnswer } from '../sign-in/mfa.service.js';
import { DomainService, domainOf } from './domain.service.js';
import {
  IdentityProviderService,
  type ProviderName,
  parseSignInId,
  redirectUriOf,
  signInIdOf,
} from './identity-provider.service.js';
import { type Authentication, OidcClient } from './oidc-client.js';
import { ProviderFailure, returned } from './oidc-metadata.js';
import { ProviderLinkService, refused } from './provider-link.service.js';
import type { IdentityProvider, ProviderSignIn } from './single-sign-on.entity.js';
import { ProviderSignInRepository } from './single-sign-on.repository.js';

/** By what such a sign-in is proven, in the audit trail. */
const AT_PROVIDER = 'identity_provider';

/** A provider that could not be read is asked again after half a minute. */
const RETRY_SECONDS = 30;

/** What is asked of a provider. */
export interface ProviderDemand {
  /** That it authenticates the person again, so that the session counts as proven. */
  fresh?: boolean;
  /** Whose session it is to prove, which needs that too; undefined to open one. */
  session?: Pick<Principal, 'tenantId' | 'userId' | 'sessionId'>;
}

/** Signs users in at the provider of their workspace, and has them prove there who they are. */
@Injectable()
export class ProviderSignInService {
  private readonly logger = new Logger(ProviderSignInService.name);
  private readonly box: SecretBox;

  constructor(
    private readonly database: Database,
    private readonly signIns: ProviderSignInRepository,
    private readonly providers: IdentityProviderService,
    private readonly domains: DomainService,
    private readonly links: ProviderLinkService,
    private readonly oidc: OidcClient,
    private readonly users: UserRepository,
    private readonly mfa: MfaRequestService,
    private readonly policies: SignInPolicyRepository,
    private readonly sessions: SessionService,
    private readonly openSessions: SessionRepository,
    private readonly signer: TokenSigner,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {
    this.box = new SecretBox(config.keyEncryptionKey);
  }

  /** The providers at which an address signs in. Only its domain decides: the answer says nothing of accounts. */
  async discover(email: string): Promise<{ id: string; name: string }[]> {
    const tenantId = await this.domains.tenantOf(domainOf(normaliseEmail(email)));
    if (tenantId === null) return [];
    const usable = (await this.providers.list(tenantId)).filter(({ enabled }) => enabled);
    return usable.map((provider) => ({ id: signInIdOf(provider), name: provider.name }));
  }

  /**
   * Begins a sign-in, or a step-up.
   * @throws PlatformError NOT_FOUND, also for the provider of another workspace than that of the session; FORBIDDEN for a token
   *   without a session; SINGLE_SIGN_ON_FAILED; SERVICE_UNAVAILABLE while the provider cannot be reached
   */
  async start(
    signInId: string,
    browser: string,
    from: RequestOrigin,
    { fresh = false, session }: ProviderDemand = {},
  ): Promise<string> {
    if (session && session.sessionId === undefined) {
      throw new PlatformError('FORBIDDEN', 'This token has no session');
    }
    const name = parseSignInId(signInId);
    const isTheirs = session === undefined || session.tenantId === name?.tenantId;
    const provider = name && isTheirs && (await this.providers.findUsable(name));
    if (!provider) throw new PlatformError('NOT_FOUND', 'Identity provider not found');
    const isFresh = fresh || session !== undefined;
    const { tenantId } = provider;
    const id = newId();
    const secret = newSecret();
    const nonce = newSecret();
    // 43 characters, the length that RFC 7636, section 4.1, recommends.
    const verifier = randomBytes(32).toString('base64url');
    const checks = { state: packToken(tenantId, id, secret), nonce, verifier };
    const redirectTo = await this.reachable(provider, from, () =>
      this.oidc.authorizationUrl(
        this.providers.clientOf(provider),
        checks,
        provider.scopes,
        isFresh ? this.config.stepUpSeconds : undefined,
      ),
    );
    await this.database.transaction(tenantId, (tx) =>
      this.signIns.insert(tx, {
        id,
        providerId: provider.id,
        stateHash: hashSecret(secret),
        browserHash: hashSecret(browser),
        nonce,
        sealedVerifier: this.box.seal(verifier, contextOfVerifier(tenantId, id)),
        fresh: isFresh,
        sessionId: session?.sessionId ?? null,
        userId: session?.userId ?? null,
      }),
    );
    return redirectTo;
  }

  /**
   * Takes the answer of a provider.
   * @param signInId of the address that was called: an answer of one provider is not taken for that of another
   * @throws PlatformError SINGLE_SIGN_ON_EXPIRED for an answer that nobody waits for, also one of another browser;
   *   SINGLE_SIGN_ON_FAILED, SINGLE_SIGN_ON_REFUSED, RATE_LIMITED, SERVICE_UNAVAILABLE; TOKEN_REVOKED when the session has ended;
   *   WORKSPACE_SUSPENDED
   */
  async complete(
    signInId: string,
    query: string,
    browser: string | undefined,
    from: RequestOrigin,
  ): Promise<string | undefined> {
    const parameters = new URLSearchParams(query);
    const state = parameters.get('state') ?? '';
    const { signIn, provider } = await this.takeReturn(signInId, state, browser);
    const answer = new URL(`${redirectUriOf(this.config.service.baseUrl, provider)}?${query}`);
    const verifier = this.box.open(signIn.sealedVerifier, contextOfVerifier(signIn.tenantId, signIn.id));
    const person = await this.reachable(provider, from, async () => {
      const error = parameters.get('error');
      if (error !== null) throw returned(error);
      const checks = { state, nonce: signIn.nonce, verifier };
      return this.oidc.authenticate(this.providers.clientOf(provider), answer, checks);
    });
    // Nobody is made a user of a suspended workspace.
    this.signer.assertIssuesFor(signIn.tenantId);
    if (signIn.fresh && !this.isRecent(person)) throw refused('not_recent');
    const { sessionId, userId } = signIn;
    const user = await this.links.userOf(provider, person, from, userId ?? undefined);
    const hasSecondFactor = provider.secondFactorValues.some((value) => person.methods.includes(value));
    if (sessionId !== null) {
      // The same holds for passwords: where there is a second factor, the first one alone is no proof.
      if (user.mfaEnabled && !hasSecondFactor) throw refused('second_factor_missing');
      const isOpen = await this.database.transaction(signIn.tenantId, async (tx) => {
        await this.signIns.delete(tx, signIn.id);
        return this.openSessions.markProven(tx, user.id, sessionId, person.authenticatedAt ?? undefined);
      });
      if (!isOpen) throw new PlatformError('TOKEN_REVOKED');
      return undefined;
    }
    const secret = newSecret();
    const { signInEpoch } = user;
    const { authenticatedAt } = person;
    const outcome = { codeHash: hashSecret(secret), userId: user.id, hasSecondFactor, signInEpoch, authenticatedAt };
    await this.database.transaction(signIn.tenantId, (tx) => this.signIns.complete(tx, signIn.id, outcome));
    return packToken(signIn.tenantId, signIn.id, secret);
  }

  /**
   * Exchanges the code of a completed sign-in, once, and asks for the second factor as after a password, unless that of the
   * provider counts.
   * @throws PlatformError SINGLE_SIGN_ON_EXPIRED for a wrong, spent or expired code and for one of another browser;
   *   INVALID_CREDENTIALS when the user was disabled in the meantime; RATE_LIMITED when too many codes were asked for;
   *   WORKSPACE_SUSPENDED
   */
  async exchange(code: string, browser: string | undefined, origin: SignInOrigin): Promise<SignInAnswer> {
    const presented = unpackToken(code);
    if (!presented) throw expired();
    const { tenantId, id, secret } = presented;
    const { signIn, user } = await this.database.transaction(tenantId, async (tx) => {
      const found = await this.signIns.find(tx, id);
      const isRight = found?.codeHash && isSecret(found.codeHash, secret) && isBrowser(found, browser);
      if (!found?.userId || !isRight) throw expired();
      // Sent together: one round trip.
      const [isFirst, holder] = await Promise.all([this.signIns.delete(tx, id), this.users.find(tx, found.userId)]);
      if (!isFirst) throw expired();
      return { signIn: found, user: holder };
    });
    if (!(await this.providers.findUsable({ tenantId, id: signIn.providerId }))) throw expired();
    if (user?.status !== 'active') throw new PlatformError('INVALID_CREDENTIALS');
    const { signInEpoch, authenticatedAt } = signIn;
    const secondFactor = signIn.hasSecondFactor
      ? undefined
      : this.secondFactorOf({ ...user, signInEpoch, authenticatedAt });
    const proven = { ...origin, method: AT_PROVIDER, epoch: signInEpoch, provenAt: authenticatedAt };
    return this.sessions.open(tenantId, user.id, proven, secondFactor);
  }

  /** What a sign-in needs whose provider has not asked for a second factor. */
  private secondFactorOf(user: User & { authenticatedAt: Date | null }) {
    const demandOf = async (tx: TenantTransaction) => {
      const { secondFactor, singleSignOn } = await this.policies.read(tx);
      return {
        mailCode: user.mfaEnabled,
        enrolment: secondFactor === 'required',
        // A passkey signs in by itself, and where single sign-on is required only owners do that.
        refusesPasskeys: singleSignOn && !user.roles.includes('owner'),
      };
    };
    return this.mfa.before(user, 'single-sign-on', demandOf);
  }

  private isRecent({ authenticatedAt }: Authentication): boolean {
    return authenticatedAt !== null && authenticatedAt.getTime() >= Date.now() - this.config.stepUpSeconds * 1000;
  }

  /** @throws PlatformError SINGLE_SIGN_ON_EXPIRED */
  private async takeReturn(
    signInId: string,
    state: string,
    browser: string | undefined,
  ): Promise<{ signIn: ProviderSignIn; provider: IdentityProvider }> {
    const name: ProviderName | undefined = parseSignInId(signInId);
    const presented = unpackToken(state);
    if (!name || name.tenantId !== presented?.tenantId) throw expired();
    const { tenantId, id, secret } = presented;
    const provider = await this.providers.findUsable(name);
    if (!provider) throw expired();
    const signIn = await this.database.transaction(tenantId, async (tx) => {
      const found = await this.signIns.find(tx, id);
      const isAwaited =
        found?.providerId === provider.id && isSecret(found.stateHash, secret) && isBrowser(found, browser);
      return isAwaited && (await this.signIns.takeReturn(tx, id)) ? found : null;
    });
    if (!signIn) throw expired();
    return { signIn, provider };
  }

  /** Runs a call of a provider; what is wrong with it is for the log and for the owners, not for anyone who signs in. */
  private async reachable<T>(provider: IdentityProvider, origin: RequestOrigin, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      // Without the cause, which can hold what the provider says of a person.
      const { message: reason } = error;
      const { tenantId, id: providerId } = provider;
      this.logger.warn({ msg: 'A sign-in at an identity provider failed', tenantId, providerId, reason });
      await this.providers.noteFailure(provider, error, origin);
      if (error.reason.code !== 'unavailable')
        throw new PlatformError('SINGLE_SIGN_ON_FAILED', undefined, { cause: error });
      const again = { cause: error, retryAfterSeconds: RETRY_SECONDS };
      throw new PlatformError('SERVICE_UNAVAILABLE', "Can't reach the identity provider. Try again later", again);
    }
  }
}

/** What the box of a row is bound to. */
export const contextOfVerifier = (tenantId: string, id: string): string => `provider_sign_in/${tenantId}/${id}`;

const isBrowser = ({ browserHash }: ProviderSignIn, browser: string | undefined): boolean =>
  browser !== undefined && isSecret(browserHash, browser);

const expired = () => new PlatformError('SINGLE_SIGN_ON_EXPIRED');
