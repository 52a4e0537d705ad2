import { createHash } from 'node:crypto';
import { ACCESS_TOKEN_SECONDS, AUDIENCES, type Scope } from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AuditTrail, SYSTEM } from '../audit/audit-trail.service.js';
import type { RequestOrigin } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { type IssueUser, UserRepository } from '../people/people.repository.js';
import { isSecret } from '../secrets.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { actorOf, TokenSigner } from '../sessions/signing-key.service.js';
import { OAuthInstallationRepository } from './client.repository.js';
import {
  AuthorizationCodeRepository,
  type GrantIds,
  GrantRepository,
  GrantTokenRepository,
  newGrantText,
  parseGrantText,
} from './grant.repository.js';
import { grantEntry } from './grant.service.js';
import type { TokenAnswerView } from './oauth.dto.js';
import { OAuthError } from './oauth-error.js';
import { type ClientCall, intersectScopes, parseScopes, scopesOfToken } from './token-request.js';

/** RFC 7636, section 4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** Returns whether a verifier is the one that a challenge was made of, by S256. */
function isVerifierOf(challenge: string, verifier: string): boolean {
  return VERIFIER.test(verifier) && createHash('sha256').update(verifier).digest('base64url') === challenge;
}

/** What an access token of an app says, as itself or for a user. */
interface AppTokenContent {
  readonly tenantId: string;
  readonly installationId: string;
  readonly appKey: string;
  readonly sandbox: boolean;
  readonly sub: string;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  readonly sid: string;
  readonly seconds: number;
}

/** Signs an access token with which an app acts: `act` makes it one that its scopes always limit. */
export async function appToken(
  signer: TokenSigner,
  tokenId: string,
  { tenantId, installationId, appKey, sandbox, seconds, ...said }: AppTokenContent,
): Promise<TokenAnswerView> {
  const act = actorOf({ appKey, installationId, sandbox });
  const content = { ...said, aud: AUDIENCES.api, tid: tenantId, roles: [...said.roles], scopes: [...said.scopes], act };
  return {
    access_token: await signer.sign(content, seconds, tokenId),
    token_type: 'Bearer',
    expires_in: seconds,
    scope: said.scopes.join(' '),
    installation_id: installationId,
    tenant_id: tenantId,
  };
}

/** What is presented, and to which installation it has to belong where the call names one. */
interface Presented {
  readonly clientId: string;
  readonly text: string;
  readonly installationId: string | undefined;
}

interface CodeExchange extends Presented {
  readonly redirectUri: string;
  readonly verifier: string;
}

/** `granted` is null when the installation or its app has ended. */
interface Admitted {
  readonly ids: GrantIds;
  readonly tokenId: string;
  readonly sandbox: boolean;
  readonly granted: readonly string[] | null;
}

/** What a transaction has decided. A refusal is committed like a success: it ends what was presented. */
type Decision =
  | {
      readonly user: IssueUser;
      readonly scopes: string[];
      readonly refreshToken: string;
      readonly remainingSeconds: number;
    }
  | 'refused'
  | 'reused';

/** Tokens with which an app acts for a user (RFC 6749, sections 4.1.3 and 6; RFC 7636). */
@Injectable()
export class UserTokenService {
  private readonly logger = new Logger('OAuth');

  constructor(
    private readonly database: Database,
    private readonly installations: OAuthInstallationRepository,
    private readonly codes: AuthorizationCodeRepository,
    private readonly grants: GrantRepository,
    private readonly tokens: GrantTokenRepository,
    private readonly users: UserRepository,
    private readonly signer: TokenSigner,
    private readonly revocations: RevocationService,
    private readonly trail: AuditTrail,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /**
   * Exchanges a code, once. A second attempt means that two parties have it: what the first one got ends
   * (RFC 6749, section 4.1.2). An attempt that fails for any reason spends the code too.
   * @throws OAuthError invalid_grant
   */
  async exchange(clientId: string, { parameters, origin }: ClientCall): Promise<TokenAnswerView> {
    const request = {
      clientId,
      text: parameters.get('code'),
      redirectUri: parameters.get('redirect_uri'),
      verifier: parameters.get('code_verifier'),
      installationId: parameters.find('installation_id'),
    };
    const admitted = await this.admit(request);
    return this.decide(admitted, clientId, origin, undefined, (tx) => this.useCode(tx, admitted, request));
  }

  /** Once; the same successor again for ten seconds, else the grant ends. @throws OAuthError invalid_grant, invalid_scope */
  async refresh(clientId: string, { parameters, origin }: ClientCall): Promise<TokenAnswerView> {
    const text = parameters.get('refresh_token');
    const wanted = parseScopes(parameters.find('scope'));
    const request = { clientId, text, installationId: parameters.find('installation_id') };
    const admitted = await this.admit(request);
    return this.decide(admitted, clientId, origin, wanted, (tx) => this.useRefreshToken(tx, admitted, request, wanted));
  }

  /** Reads where something presented belongs. */
  private async admit({ clientId, text, installationId }: Presented): Promise<Admitted> {
    // Before anything is read: whatever is changed after that has a later cut-off, and ends this token too.
    const tokenId = newId();
    const ids = parseGrantText(text);
    if (!ids) throw invalidGrant();
    if (!this.signer.issuesFor(ids.tenantId)) throw new OAuthError('invalid_grant', 'The workspace is suspended');
    const installation = await this.installations.readForUsers(ids.tenantId, ids.installationId);
    const named = installationId === undefined || installationId.toLowerCase() === ids.installationId;
    const alive = installation && installation.appKey === clientId && installation.status !== 'revoked' && named;
    return { ids, tokenId, sandbox: installation?.sandbox ?? false, granted: alive ? installation.scopes : null };
  }

  private async decide(
    { ids, tokenId, sandbox }: Admitted,
    appKey: string,
    origin: RequestOrigin,
    wanted: Scope[] | undefined,
    work: (tx: TenantTransaction) => Promise<Decision>,
  ): Promise<TokenAnswerView> {
    const { tenantId, grantId, installationId } = ids;
    const decision = await this.database.transaction({ ...origin, tenantId }, async (tx) => {
      const decided = await work(tx);
      if (decided === 'reused') {
        // Once: what is presented after that ends nothing, and is unknown. Anyone who presents it has proven nothing.
        const ended = await this.grants.delete(tx, grantId);
        if (!ended) return 'refused';
        await this.revocations.record(tx, 'session', grantId);
        const entry = grantEntry('oauth_grant.replay_noticed', grantId, ended);
        this.trail.record(tx, { ...entry, outcome: 'failure', actor: SYSTEM });
      }
      return decided;
    });
    if (decision === 'reused') {
      await this.revocations.publishPending();
      this.logger.warn({
        msg: 'A spent code or refresh token of an app was presented; its grant ends',
        tenantId,
        appKey,
      });
    }
    if (decision === 'reused' || decision === 'refused') throw invalidGrant();
    const scopes = scopesOfToken(wanted, decision.scopes);
    const { id: sub, roles } = decision.user;
    const seconds = Math.min(ACCESS_TOKEN_SECONDS, decision.remainingSeconds);
    const content = { tenantId, installationId, appKey, sandbox, sub, roles, scopes, sid: grantId, seconds };
    return { ...(await appToken(this.signer, tokenId, content)), refresh_token: decision.refreshToken };
  }

  private async useCode(
    tx: TenantTransaction,
    { ids, granted }: Admitted,
    { clientId, text, redirectUri, verifier }: CodeExchange,
  ): Promise<Decision> {
    const user = await this.lockUser(tx, await this.codes.findUser(tx, ids.grantId));
    const found = await this.codes.lock(tx, ids.grantId);
    if (!found || found.installationId !== ids.installationId || !isSecret(found.codeHash, text)) return 'refused';
    if (found.isUsed) return 'reused';
    await this.codes.markUsed(tx, ids.grantId);
    const isRight =
      found.isValid &&
      found.appKey === clientId &&
      found.redirectUri === redirectUri &&
      isVerifierOf(found.codeChallenge, verifier);
    if (!isRight || !user || granted === null) return 'refused';
    const scopes = intersectScopes(found.scopes, granted);
    if (scopes.length === 0) return 'refused';
    const { sessions } = this.config;
    const { installationId, appKey, appName, publisher } = found;
    const grant = { id: ids.grantId, installationId, appKey, appName, publisher, userId: user.id, scopes };
    await this.grants.insert(tx, grant, sessions);
    const refreshToken = newGrantText(ids);
    await this.tokens.insert(tx, refreshToken, ids.grantId, sessions.idleSeconds);
    return { user, scopes, refreshToken, remainingSeconds: Math.min(sessions.idleSeconds, sessions.maxSeconds) };
  }

  private async useRefreshToken(
    tx: TenantTransaction,
    { ids, granted }: Admitted,
    { clientId, text }: Presented,
    wanted: Scope[] | undefined,
  ): Promise<Decision> {
    const { idleSeconds } = this.config.sessions;
    const seen = await this.grants.find(tx, ids.grantId);
    // The user first: disabling one locks in this order too.
    const user = await this.lockUser(tx, seen?.userId ?? null);
    const grant = seen && (await this.grants.lock(tx, ids.grantId));
    if (!grant || grant.installationId !== ids.installationId || grant.appKey !== clientId) return 'refused';
    if (!user || granted === null) return 'refused';
    const scopes = intersectScopes(grant.scopes, granted);
    // Before the token is spent: a client that asks for too much keeps it.
    scopesOfToken(wanted, scopes);
    const successor = newGrantText(ids);
    const rotation = await this.tokens.rotate(tx, text, ids.grantId, { successor, validSeconds: idleSeconds });
    if (rotation.outcome === 'unknown') return 'refused';
    if (rotation.outcome === 'reused') return 'reused';
    const remainingSeconds = await this.grants.touch(tx, ids.grantId, idleSeconds);
    if (remainingSeconds === null) return 'refused';
    return { user, scopes, refreshToken: rotation.successor, remainingSeconds };
  }

  /** @returns null for a user who is not active */
  private async lockUser(tx: TenantTransaction, id: string | null): Promise<IssueUser | null> {
    const user = id === null ? null : await this.users.lockForIssue(tx, id);
    return user?.status === 'active' ? user : null;
  }
}

const invalidGrant = () => new OAuthError('invalid_grant', "The code or token isn't valid or has expired");
