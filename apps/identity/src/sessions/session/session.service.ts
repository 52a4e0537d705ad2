import { AUDIENCES, PlatformError, SCOPE_NAMES, type TokenPair } from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import { idPosition, type ListAnswer, type ListQuery, listAnswer, parsePage } from '@crm/http';
import { Injectable, Logger } from '@nestjs/common';
import type { User } from '../../accounts/user/user.entity.js';
import { UserRepository } from '../../accounts/user/user.repository.js';
import { TokenSigner } from '../../keys/token-signer.js';
import { hashSecret, newSecret } from '../../secrets/secret.js';
import { RefreshTokenRepository } from '../refresh-token/refresh-token.repository.js';
import { RevocationService } from '../revocation/revocation.service.js';
import type { Session } from './session.entity.js';
import { SessionRepository } from './session.repository.js';

/** Where a sign-in comes from; shown to the user in the list of sessions. */
export interface SignInOrigin {
  address: string;
  userAgent: string | null;
}

const MAX_USER_AGENT = 300;

/** Sessions: opened by a sign-in, kept alive by refreshing, ended by the user, an administrator or a stolen token. */
@Injectable()
export class SessionService {
  private readonly logger = new Logger(SessionService.name);

  constructor(
    private readonly database: Database,
    private readonly sessions: SessionRepository,
    private readonly refreshTokens: RefreshTokenRepository,
    private readonly users: UserRepository,
    private readonly signer: TokenSigner,
    private readonly revocations: RevocationService,
  ) {}

  /**
   * Opens a session for a user whose identity is proven.
   * @throws PlatformError INVALID_CREDENTIALS when the user was disabled in the meantime
   */
  async open(tenantId: string, userId: string, origin: SignInOrigin): Promise<TokenPair> {
    const tokenId = newId();
    const session = {
      id: newId(),
      userId,
      address: origin.address,
      userAgent: origin.userAgent?.slice(0, MAX_USER_AGENT) ?? null,
    };
    const user = await this.database.transaction(tenantId, async (tx) => {
      const found = await this.users.lockForIssue(tx, userId);
      if (found?.status !== 'active') throw new PlatformError('INVALID_CREDENTIALS');
      await this.sessions.insert(tx, session);
      return found;
    });
    const refreshToken = newSecret();
    const owner = { sessionId: session.id, tenantId, userId };
    // A crash before this leaves a session that nobody can refresh; it expires.
    await this.database.crossTenant((tx) => this.refreshTokens.insert(tx, hashSecret(refreshToken), owner));
    return this.tokenPair(user, session.id, refreshToken, tokenId);
  }

  /**
   * Exchanges a refresh token for a new pair; the presented one is spent. A spent token that comes back means that two
   * parties hold it, so the session ends for both (RFC 9700, section 4.14.2).
   * @throws PlatformError INVALID_REFRESH_TOKEN
   */
  async refresh(refreshToken: string): Promise<TokenPair> {
    const tokenId = newId();
    const successor = newSecret();
    const rotation = await this.database.crossTenant((tx) =>
      this.refreshTokens.rotate(tx, hashSecret(refreshToken), hashSecret(successor)),
    );
    if (rotation.outcome === 'unknown') throw new PlatformError('INVALID_REFRESH_TOKEN');
    const { tenantId, userId, sessionId } = rotation.owner;
    if (rotation.outcome === 'reused') {
      this.logger.warn({ msg: 'A spent refresh token was presented; its session ends', tenantId, userId, sessionId });
      await this.end(tenantId, userId, sessionId);
      throw new PlatformError('INVALID_REFRESH_TOKEN');
    }
    const user = await this.database.transaction(tenantId, async (tx) => {
      // The user first: disabling a user locks in this order too.
      const found = await this.users.lockForIssue(tx, userId);
      return (await this.sessions.touch(tx, sessionId)) ? found : null;
    });
    if (user?.status !== 'active') throw new PlatformError('INVALID_REFRESH_TOKEN');
    return this.tokenPair(user, sessionId, successor, tokenId);
  }

  /**
   * Lists the open sessions of a user, newest first.
   * @throws PlatformError INVALID_QUERY for a cursor of another user or list
   */
  async list(tenantId: string, userId: string, query: ListQuery): Promise<ListAnswer<Session>> {
    const page = parsePage(query, { tenantId, list: 'sessions', filter: userId });
    const { sessions, counted } = await this.database.transaction(tenantId, (tx) =>
      this.sessions.listOfUser(tx, userId, page),
    );
    return listAnswer(sessions, page, counted, idPosition);
  }

  /**
   * Ends one session: its refresh token is gone and its access tokens are cut off within a second.
   * @returns whether the user had such a session
   */
  async end(tenantId: string, userId: string, sessionId: string): Promise<boolean> {
    const found = await this.database.transaction(tenantId, async (tx) => {
      const deleted = await this.sessions.delete(tx, userId, sessionId);
      if (deleted) await this.revocations.record(tx, 'session', sessionId);
      return deleted;
    });
    if (found) await this.forget([sessionId]);
    return found;
  }

  /** Ends every session of the user. */
  async endAll(tenantId: string, userId: string): Promise<void> {
    const ended = await this.database.transaction(tenantId, (tx) => this.endAllWithin(tx, userId));
    await this.forget(ended);
  }

  /** Ends every session as a part of another change; call {@link forget} with the ids after the commit. */
  async endAllWithin(tx: TenantTransaction, userId: string): Promise<string[]> {
    const ids = await this.sessions.deleteOfUser(tx, userId);
    for (const id of ids) await this.revocations.record(tx, 'session', id);
    return ids;
  }

  /** Like {@link endAllWithin}, for all but one session; the caller holds the user's row, so that none opens meanwhile. */
  async endOthersWithin(tx: TenantTransaction, userId: string, keptId: string): Promise<string[]> {
    const ids = await this.sessions.deleteOthersOfUser(tx, userId, keptId);
    for (const id of ids) await this.revocations.record(tx, 'session', id);
    return ids;
  }

  /** After the commit: publishes the cut-offs and deletes refresh tokens, which a deleted session has disabled already. */
  async forget(sessionIds: readonly string[]): Promise<void> {
    await this.revocations.publishPending();
    await this.database.crossTenant((tx) => this.refreshTokens.deleteOfSessions(tx, sessionIds));
  }

  private tokenPair(user: User, sessionId: string, refreshToken: string, tokenId: string): Promise<TokenPair> {
    const content = {
      aud: AUDIENCES.api,
      sub: user.id,
      tid: user.tenantId,
      roles: [...user.roles],
      scopes: [...SCOPE_NAMES],
      sid: sessionId,
    };
    return this.signer.signPair(content, refreshToken, tokenId);
  }
}
