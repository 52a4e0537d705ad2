import { isUuid, PlatformError } from '@crm/contracts';
import { Database, type NarrowTransaction } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { hashSecret, newSecret } from '../secrets.js';
import { AuthorizationRequestRepository } from './authorization-request.repository.js';
import { OAuthAppRepository, OAuthInstallationRepository } from './client.repository.js';
import { type OAuthInstallation } from './oauth.entity.js';
import { OAuthError, type OAuthErrorCode } from './oauth-error.js';
import { type Parameters, parseScopes } from './token-request.js';

/** What an app is told at its redirect URI: a code, or why there is none. */
export type RedirectAnswer =
  | { readonly code: string; readonly installation_id: string }
  | { readonly error: OAuthErrorCode; readonly error_description: string };

/** `iss` tells an app that talks to several servers which one has answered (RFC 9207). */
export function redirectTo(to: Pick<CheckedClient, 'redirectUri' | 'state'>, issuer: string, answer: RedirectAnswer) {
  const { redirectUri, state } = to;
  const parameters = new URLSearchParams({ ...answer, ...(state !== null && { state }), iss: issuer });
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters}`;
}

/** A SHA-256 in base64url (RFC 7636, section 4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** The client of a request, once it is certain that a browser may be sent back to it. */
interface CheckedClient {
  readonly appKey: string;
  readonly installationId: string | null;
  readonly redirectUri: string;
  readonly state: string | null;
  /** True when an operator has let the redirect URI pass. */
  readonly reviewed: boolean;
}

/** Requests of apps to act for a user (RFC 6749, section 4.1.1, with what OAuth 2.1 demands). */
@Injectable()
export class AuthorizationRequestService {
  constructor(
    private readonly database: Database,
    private readonly requests: AuthorizationRequestRepository,
    private readonly apps: OAuthAppRepository,
    private readonly installations: OAuthInstallationRepository,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /**
   * Checks a request and stores it.
   * @returns where the browser is sent: to the page that asks the user, or back to the app with an error
   * @throws OAuthError when the app or its redirect URI is not known: nobody may be sent to an address that is not registered
   */
  async begin(parameters: Parameters): Promise<string> {
    const client = await this.checkClient(parameters);
    try {
      return await this.store(client, parameters);
    } catch (error) {
      // An address that nobody has reviewed gets a browser only after its user has agreed (RFC 9700, section 4.11.2).
      if (!(error instanceof OAuthError) || !client.reviewed) throw error;
      const answer = { error: error.error, error_description: error.description };
      return redirectTo(client, this.config.service.issuer, answer);
    }
  }

  private async checkClient(parameters: Parameters): Promise<CheckedClient> {
    const appKey = parameters.get('client_id');
    const redirectUri = parameters.get('redirect_uri');
    const installationId = parameters.find('installation_id') ?? null;
    const state = parameters.find('state') ?? null;
    if (installationId !== null && !isUuid(installationId)) {
      throw new OAuthError('invalid_request', "The installation's state is not known");
    }
    const reviewed = await this.database.crossTenant(async (tx) => {
      const { redirectUris, status } = await this.apps.find(tx, appKey);
      if (status !== 'active') throw new OAuthError('unauthorized_client', 'The app is suspended');
      const sandbox = installationId === null ? null : await this.findSandbox(tx, appKey, installationId);
      const allowed = sandbox?.redirectUris ?? redirectUris;
      // Compared as text (RFC 9700, section 2.1): nothing is decoded, normalised or matched by its beginning.
      if (!allowed.includes(redirectUri)) {
        throw new OAuthError('invalid_request', "The app or redirect URI isn't registered");
      }
      return sandbox === null;
    });
    return { appKey, installationId: installationId?.toLowerCase() ?? null, redirectUri, state, reviewed };
  }

  /** A sandbox has the redirect URIs of its own version, every other installation those of the published version. */
  private async findSandbox(tx: NarrowTransaction, appKey: string, id: string): Promise<OAuthInstallation | null> {
    const named = await this.installations.findOfApp(tx, appKey, id);
    if (!named) throw new OAuthError('invalid_request', "The installation's state is not known");
    return named.sandbox ? named : null;
  }

  private async store({ reviewed: _, ...client }: CheckedClient, parameters: Parameters): Promise<string> {
    if (parameters.get('response_type') !== 'code') {
      throw new OAuthError('unsupported_response_type', 'response_type must be code');
    }
    const codeChallenge = parameters.find('code_challenge');
    // Without a method RFC 7636 means `plain`, which protects nothing: it has to be named.
    if (parameters.find('code_challenge_method') !== 'S256' || codeChallenge === undefined) {
      throw new OAuthError('invalid_request', 'code_challenge with code_challenge_method=S256 is required');
    }
    if (!CHALLENGE.test(codeChallenge)) throw new OAuthError('invalid_request', "code_challenge isn't valid");
    const scopes = parseScopes(parameters.find('scope')) ?? null;
    const id = newSecret();
    const request = { ...client, scopes, codeChallenge, requestHash: hashSecret(id) };
    await this.database.crossTenant((tx) => this.requests.insert(tx, request));
    return `${this.config.service.baseUrl}/account/authorize?request=${id}`;
  }
}

export const invalidRequest = () => new PlatformError('INVALID_AUTHORIZATION_REQUEST');
