import { randomBytes } from 'node:crypto';
import { PlatformError, type TokenPair } from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import { SecretBox } from '@crm/encryption';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { normaliseEmail } from '../../accounts/user/email-address.js';
import { UserRepository } from '../../accounts/user/user.repository.js';
import type { RequestOrigin } from '../../audit/trail/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../../config.js';
import { packIds, unpackIds } from '../../secrets/packed-ids.js';
import { hashSecret, isSecret, newSecret } from '../../secrets/secret.js';
import { SessionService, type SignInOrigin } from '../../sessions/session/session.service.js';
import { type EnrolmentRequired, type MfaRequired, MfaService } from '../../sign-in/mfa/mfa.service.js';
import { SignInPolicyRepository } from '../../sign-in/policy/sign-in-policy.repository.js';
import { DomainService } from '../domain/domain.service.js';
import { domainOf } from '../domain/mail-domain.js';
import { ProviderLinkService } from '../link/provider-link.service.js';
import { OidcClient } from '../protocol/oidc-client.js';
import { ProviderFailure } from '../protocol/provider-failure.js';
import type { IdentityProvider } from '../provider/identity-provider.entity.js';
import { IdentityProviderService } from '../provider/identity-provider.service.js';
import { type ProviderName, parseSignInId, redirectUriOf, signInIdOf } from '../provider/provider-address.js';
import type { ProviderSignIn } from './provider-sign-in.entity.js';
import { ProviderSignInRepository } from './provider-sign-in.repository.js';

/** By what such a sign-in is proven, in the audit trail. */
const AT_PROVIDER = 'identity_provider';

/** Signs users in at the provider of their workspace. */
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
    private readonly mfa: MfaService,
    private readonly policies: SignInPolicyRepository,
    private readonly sessions: SessionService,
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
   * Begins a sign-in.
   * @param browser what ties it to the browser
   * @returns where to send the browser
   * @throws PlatformError NOT_FOUND, SERVICE_UNAVAILABLE while the provider cannot be reached
   */
  async start(signInId: string, browser: string): Promise<string> {
    const name = parseSignInId(signInId);
    const provider = name && (await this.providers.findUsable(name));
    if (!provider) throw new PlatformError('NOT_FOUND', 'There is no such identity provider');
    const { tenantId } = provider;
    const id = newId();
    const secret = newSecret();
    const nonce = newSecret();
    // 43 characters, the length that RFC 7636, section 4.1, recommends.
    const verifier = randomBytes(32).toString('base64url');
    const checks = { state: `${packIds(tenantId, id)}.${secret}`, nonce, verifier };
    const redirectTo = await this.reachable(provider, () =>
      this.oidc.authorizationUrl(this.providers.clientOf(provider), checks, provider.scopes),
    );
    await this.database.transaction(tenantId, (tx) =>
      this.signIns.insert(tx, {
        id,
        providerId: provider.id,
        stateHash: hashSecret(secret),
        browserHash: hashSecret(browser),
        nonce,
        sealedVerifier: this.box.seal(verifier, placeOfVerifier(tenantId, id)),
      }),
    );
    return redirectTo;
  }

  /**
   * Takes the answer of a provider.
   * @param signInId of the address that was called: an answer of one provider is not taken for that of another
   * @param query the answer, as it came
   * @param browser the cookie of the browser
   * @param from where the browser is
   * @returns the code that the page exchanges
   * @throws PlatformError SINGLE_SIGN_ON_EXPIRED for an answer that nobody waits for, also one of another browser;
   *   SINGLE_SIGN_ON_FAILED, SINGLE_SIGN_ON_REFUSED, RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  async complete(signInId: string, query: string, browser: string | undefined, from: RequestOrigin): Promise<string> {
    const parameters = new URLSearchParams(query);
    const state = parameters.get('state') ?? '';
    const { signIn, provider } = await this.takeReturn(signInId, state, browser);
    if (parameters.has('error')) throw new PlatformError('SINGLE_SIGN_ON_FAILED', 'The provider refused the sign-in');
    const answer = new URL(`${redirectUriOf(this.config.service.baseUrl, provider)}?${query}`);
    const verifier = this.box.open(signIn.sealedVerifier, placeOfVerifier(signIn.tenantId, signIn.id));
    const person = await this.reachable(provider, () =>
      this.oidc.authenticate(this.providers.clientOf(provider), answer, { state, nonce: signIn.nonce, verifier }),
    );
    const user = await this.links.userOf(provider, person, from);
    const hasSecondFactor = provider.secondFactorValues.some((value) => person.methods.includes(value));
    const secret = newSecret();
    const outcome = { codeHash: hashSecret(secret), userId: user.id, hasSecondFactor };
    await this.database.transaction(signIn.tenantId, (tx) => this.signIns.complete(tx, signIn.id, outcome));
    return `${packIds(signIn.tenantId, signIn.id)}.${secret}`;
  }

  /**
   * Exchanges the code of a completed sign-in, once, and asks for the second factor as after a password, unless that of the
   * provider counts.
   * @throws PlatformError SINGLE_SIGN_ON_EXPIRED for a wrong, spent or expired code and for one of another browser;
   *   INVALID_CREDENTIALS when the user was disabled in the meantime; RATE_LIMITED when too many codes were asked for;
   *   WORKSPACE_SUSPENDED
   */
  async exchange(
    code: string,
    browser: string | undefined,
    origin: SignInOrigin,
  ): Promise<TokenPair | MfaRequired | EnrolmentRequired> {
    const [ids = '', secret = ''] = code.split('.');
    const [tenantId, id] = unpackIds(ids, 2) ?? [];
    if (!tenantId || !id) throw expired();
    const { userId, providerId, hasSecondFactor } = await this.database.transaction(tenantId, async (tx) => {
      const signIn = await this.signIns.find(tx, id);
      const isRight = signIn?.codeHash && isSecret(signIn.codeHash, secret) && isBrowser(signIn, browser);
      if (!signIn?.userId || !isRight || !(await this.signIns.delete(tx, id))) throw expired();
      return { ...signIn, userId: signIn.userId };
    });
    if (!(await this.providers.findUsable({ tenantId, id: providerId }))) throw expired();
    this.sessions.assertOpens(tenantId);
    const proven = { ...origin, method: AT_PROVIDER };
    if (hasSecondFactor) return this.sessions.open(tenantId, userId, proven);
    const user = await this.database.transaction(tenantId, (tx) => this.users.find(tx, userId));
    if (user?.status !== 'active') throw new PlatformError('INVALID_CREDENTIALS');
    const demandOf = async (tx: TenantTransaction) => {
      const { secondFactor, singleSignOn } = await this.policies.read(tx);
      return {
        mailCode: user.mfaEnabled,
        enrolment: secondFactor === 'required',
        // A passkey signs in by itself, and where single sign-on is required only owners do that.
        refusesPasskeys: singleSignOn && !user.roles.includes('owner'),
      };
    };
    return (await this.mfa.begin(user, 'single-sign-on', demandOf)) ?? this.sessions.open(tenantId, userId, proven);
  }

  /** @throws PlatformError SINGLE_SIGN_ON_EXPIRED */
  private async takeReturn(
    signInId: string,
    state: string,
    browser: string | undefined,
  ): Promise<{ signIn: ProviderSignIn; provider: IdentityProvider }> {
    const name: ProviderName | undefined = parseSignInId(signInId);
    const [ids = '', secret = ''] = state.split('.');
    const [tenantId, id] = unpackIds(ids, 2) ?? [];
    if (!name || !tenantId || !id || name.tenantId !== tenantId) throw expired();
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

  /** Runs a call of a provider; what is wrong with it is for the log, not for whoever signs in. */
  private async reachable<T>({ tenantId, id }: IdentityProvider, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      // Without the cause, which can hold what the provider says of a person.
      const reason = error.message;
      this.logger.warn({ msg: 'A sign-in at an identity provider failed', tenantId, providerId: id, reason });
      throw new PlatformError('SINGLE_SIGN_ON_FAILED', undefined, { cause: error });
    }
  }
}

/** What the box of a row is bound to. */
export const placeOfVerifier = (tenantId: string, id: string): string => `provider_sign_in/${tenantId}/${id}`;

const isBrowser = ({ browserHash }: ProviderSignIn, browser: string | undefined): boolean =>
  browser !== undefined && isSecret(browserHash, browser);

const expired = () => new PlatformError('SINGLE_SIGN_ON_EXPIRED');
