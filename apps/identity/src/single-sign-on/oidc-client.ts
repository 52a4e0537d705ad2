import { parseUrl } from '@crm/address-policy';
import { PlatformError } from '@crm/contracts';
import { EgressError, type EgressMethod, OutsideClient } from '@crm/egress';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { CustomFetch } from 'openid-client';
import * as oidc from 'openid-client';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { asProviderFailure, checkedMetadata, ProviderFailure } from './oidc-metadata.js';

/** Longest answer of a provider. The largest known documents, the keys of Microsoft's, have a third of it. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** What `Response` refuses a body for. */
const BODILESS = [204, 205, 304];

/** How one sign-in calls its provider. */
interface ProviderCalls {
  readonly fetch: CustomFetch;
  /** The status of the last answer; null without one. */
  httpStatus: number | null;
}

/**
 * Calls a provider by the client of the platform, which checks every address, follows no redirect and bounds the answer.
 * @param deadline of all calls together, on the clock of `performance.now()`
 */
function callsBy(outside: Pick<OutsideClient, 'request'>, deadline: number): ProviderCalls {
  const fetch: CustomFetch = async (url, { method, headers, body }) => {
    calls.httpStatus = null;
    const totalMs = deadline - performance.now();
    if (totalMs <= 0) throw new EgressError('timeout_total', 'The provider took too long');
    const answer = await outside.request({
      method: method as EgressMethod,
      url,
      headers: { ...(body instanceof URLSearchParams && FORM), ...headers },
      ...(body !== undefined && body !== null && { body: String(body) }),
      timeouts: { totalMs },
      maxResponseBytes: MAX_ANSWER_BYTES,
    });
    calls.httpStatus = answer.status;
    const type = answer.headers['content-type'];
    return new Response(BODILESS.includes(answer.status) ? null : new Uint8Array(answer.body), {
      status: answer.status,
      ...(type !== undefined && { headers: { 'content-type': type } }),
    });
  };
  const calls: ProviderCalls = { fetch, httpStatus: null };
  return calls;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' };

/** Sign-ins at one provider of a workspace, and at all, that this process waits for at a time. */
const PER_PROVIDER = 8;
const IN_ALL = 512;

/** Bounds calls in flight by provider: one that hangs holds up neither another workspace nor another provider of its own. */
export class CallGate {
  private readonly running = new Map<string, number>();
  private total = 0;

  /** @throws PlatformError SERVICE_UNAVAILABLE when too many calls are in flight, or what the work rejects with */
  async run<T>(provider: string, work: () => Promise<T>): Promise<T> {
    const present = this.running.get(provider) ?? 0;
    if (present >= PER_PROVIDER || this.total >= IN_ALL) {
      throw new PlatformError(
        'SERVICE_UNAVAILABLE',
        'Too many sign-ins are waiting for the identity provider. Try again in a second',
        {
          retryAfterSeconds: 5,
        },
      );
    }
    this.running.set(provider, present + 1);
    this.total += 1;
    try {
      return await work();
    } finally {
      this.total -= 1;
      const left = (this.running.get(provider) ?? 1) - 1;
      if (left === 0) this.running.delete(provider);
      else this.running.set(provider, left);
    }
  }
}

/** A client that is registered with a provider. */
export interface ProviderClient {
  /** The workspace that is registered. */
  tenantId: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
}

/** What ties an answer of a provider to the sign-in that asked for it. */
export interface SignInChecks {
  state: string;
  nonce: string;
  /** The verifier of PKCE (RFC 7636). */
  verifier: string;
}

/** Whom a provider has authenticated. */
export interface Authentication {
  sub: string;
  /** The provider's own spelling. */
  email: string | undefined;
  emailVerified: boolean;
  name: string | undefined;
  /** `amr` and `acr`: how. */
  methods: readonly string[];
  /** `auth_time`: when; null where the provider does not say. Not the time of the token, for which nobody has to be there. */
  authenticatedAt: Date | null;
}

/** The clock of a provider may be ahead by as much, as the clock that signs our own tokens. */
const MAX_CLOCK_LEAD_MS = 60_000;

/** A provider's documents are read again after this time; keys also when a token names an unknown one. */
const CACHE_MS = 10 * 60_000;
/** Each has 128 KiB at most. */
const CACHED_PROVIDERS = 100;

/** For how long a provider that could not be read is not asked again by sign-ins. */
const FAILURE_MS = 30_000;
/** A message each. */
const KEPT_FAILURES = 1_000;

interface KnownProvider {
  metadata: oidc.ServerMetadata;
  keys?: oidc.ExportedJWKSCache;
}

/** Speaks OpenID Connect with the providers of workspaces. */
@Injectable()
export class OidcClient {
  private readonly known = new LRUCache<string, KnownProvider>({ max: CACHED_PROVIDERS, ttl: CACHE_MS });
  private readonly failures = new LRUCache<string, ProviderFailure>({ max: KEPT_FAILURES, ttl: FAILURE_MS });
  private readonly gate = new CallGate();

  constructor(
    private readonly outside: OutsideClient,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /**
   * Reads afresh what a provider says of itself.
   * @returns the issuer as the provider spells it
   * @throws ProviderFailure, PlatformError SERVICE_UNAVAILABLE
   */
  async discover(tenantId: string, issuer: string): Promise<string> {
    const url = parseUrl(issuer);
    if (!url || url.search || url.hash || url.username || issuer.includes('/.well-known/')) {
      throw new ProviderFailure('The issuer must be an https URL without a query, exactly as the provider states it');
    }
    const verdict = this.outside.checkUrl(issuer);
    if (!verdict.ok) throw new ProviderFailure(`The issuer isn't allowed: ${verdict.message}`);
    return this.within({ tenantId, issuer }, async (calls) => (await this.read(issuer, calls)).metadata.issuer);
  }

  /**
   * The address that a browser is sent to.
   * @param freshSeconds the person has to be authenticated again unless that was done in so many seconds; undefined: a session
   *   that they have at the provider is enough, however old it is
   * @throws ProviderFailure, PlatformError SERVICE_UNAVAILABLE
   */
  async authorizationUrl(
    client: ProviderClient,
    checks: SignInChecks,
    scopes: readonly string[],
    freshSeconds?: number,
  ): Promise<string> {
    const challenge = await oidc.calculatePKCECodeChallenge(checks.verifier);
    return this.within(client, async (calls) => {
      const url = oidc.buildAuthorizationUrl(await this.configuration(client, calls), {
        redirect_uri: client.redirectUri,
        scope: scopes.join(' '),
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        // `prompt` has them asked; `max_age` obliges the provider to say when they were (OpenID Connect Core, section 3.1.2.1).
        ...(freshSeconds !== undefined && { prompt: 'login', max_age: String(freshSeconds) }),
      });
      return url.href;
    });
  }

  /**
   * Exchanges the code of an answer and checks everything that it has to say.
   * @param answer the address that the provider sent the browser to
   * @throws ProviderFailure, PlatformError SERVICE_UNAVAILABLE
   */
  async authenticate(client: ProviderClient, answer: URL, checks: SignInChecks): Promise<Authentication> {
    return this.within(client, async (calls) => {
      const configuration = await this.configuration(client, calls);
      const tokens = await oidc.authorizationCodeGrant(configuration, answer, {
        expectedState: checks.state,
        expectedNonce: checks.nonce,
        pkceCodeVerifier: checks.verifier,
        idTokenExpected: true,
      });
      this.keepKeys(client.issuer, configuration);
      const claims = tokens.claims();
      if (!claims) throw new ProviderFailure('The provider returned no ID token');
      // The library looks at it only where there are several audiences.
      if (claims.azp !== undefined && claims.azp !== client.clientId) {
        throw new ProviderFailure('The ID token was issued to another client');
      }
      const about =
        claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
          ? { ...(await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims }
          : claims;
      return authenticationOf(about, claims);
    });
  }

  private async configuration(client: ProviderClient, calls: ProviderCalls): Promise<oidc.Configuration> {
    const { metadata, keys } = this.known.get(client.issuer) ?? (await this.readForSignIn(client.issuer, calls));
    const configuration = new oidc.Configuration(
      metadata,
      client.clientId,
      undefined,
      clientAuthentication(metadata, client.clientSecret),
    );
    configuration[oidc.customFetch] = calls.fetch;
    // Signatures are checked although the token comes from the provider itself: TLS alone would have to be trusted otherwise.
    oidc.enableNonRepudiationChecks(configuration);
    if (keys) oidc.setJwksCache(configuration, keys);
    return configuration;
  }

  /** A provider that could not be read fails the sign-ins of the next half minute at once: none of them waits for it again. */
  private async readForSignIn(issuer: string, calls: ProviderCalls): Promise<KnownProvider> {
    const failure = this.failures.get(issuer);
    if (failure) throw new ProviderFailure(failure.message, { ...failure.reason, cause: failure });
    try {
      return await this.read(issuer, calls);
    } catch (error) {
      const failed = asProviderFailure(error, calls.httpStatus);
      this.failures.set(issuer, failed);
      throw failed;
    }
  }

  private async read(issuer: string, calls: ProviderCalls): Promise<KnownProvider> {
    const found = await oidc.discovery(new URL(issuer), 'discovery', undefined, oidc.None(), {
      [oidc.customFetch]: calls.fetch,
    });
    // The library accepts another issuer from some hosts. What they say must not be taken for what the other one says.
    if (!isIssuer(found.serverMetadata().issuer, issuer)) {
      throw new ProviderFailure('The provider states a different issuer');
    }
    const metadata = checkedMetadata({ ...found.serverMetadata() }, (url) => this.outside.checkUrl(url));
    const provider = { metadata };
    this.known.set(issuer, provider);
    this.failures.delete(issuer);
    return provider;
  }

  private keepKeys(issuer: string, configuration: oidc.Configuration): void {
    const provider = this.known.get(issuer);
    const keys = oidc.getJwksCache(configuration);
    if (provider && keys) provider.keys = keys;
  }

  private async within<T>(
    { tenantId, issuer }: Pick<ProviderClient, 'tenantId' | 'issuer'>,
    work: (calls: ProviderCalls) => Promise<T>,
  ): Promise<T> {
    return this.gate.run(`${tenantId} ${issuer}`, async () => {
      const deadline = performance.now() + this.config.egress.providerMs;
      const calls = callsBy(this.outside, deadline);
      try {
        return await work(calls);
      } catch (error) {
        throw asProviderFailure(error, calls.httpStatus);
      }
    });
  }
}

const isIssuer = (stated: string, asked: string): boolean => new URL(stated).href === new URL(asked).href;

function clientAuthentication(metadata: oidc.ServerMetadata, secret: string): oidc.ClientAuth {
  const methods = metadata.token_endpoint_auth_methods_supported;
  const postOnly = methods?.includes('client_secret_post') && !methods.includes('client_secret_basic');
  return postOnly ? oidc.ClientSecretPost(secret) : oidc.ClientSecretBasic(secret);
}

/** Up to 255 characters (OpenID Connect Core, section 2), and none that stands for nothing. */
const SUBJECT = /^(?=.*\S)[^\p{Cc}\p{Cs}]{1,255}$/u;

/**
 * @param claims of the id token, which alone say how someone was authenticated
 * @throws ProviderFailure
 */
function authenticationOf(about: Record<string, unknown>, claims: oidc.IDToken): Authentication {
  if (!SUBJECT.test(claims.sub)) throw new ProviderFailure('The provider returned no usable user ID (`sub`)');
  const text = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : undefined);
  const methods = [...(Array.isArray(claims.amr) ? claims.amr : []), claims.acr];
  return {
    sub: claims.sub,
    email: text(about.email),
    // Some providers write it as a text.
    emailVerified: about.email_verified === true || about.email_verified === 'true',
    name: text(about.name),
    methods: methods.filter((method) => typeof method === 'string'),
    authenticatedAt: authenticationTime(claims.auth_time),
  };
}

/** @throws ProviderFailure for a time that has yet to come */
function authenticationTime(claim: unknown): Date | null {
  if (typeof claim !== 'number' || !Number.isFinite(claim) || claim <= 0) return null;
  if (claim * 1000 > Date.now() + MAX_CLOCK_LEAD_MS)
    throw new ProviderFailure('The authentication time is in the future');
  return new Date(claim * 1000);
}
