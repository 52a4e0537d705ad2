import { ACCESS_TOKEN_SECONDS, PlatformError, type TokenPair } from '@crm/contracts';
import { newId, type TenantTransaction, type TransactionOrigin } from '@crm/database';
import { idPosition, type ListAnswer, type ListQuery, listAnswer, parsePage } from '@crm/http';
import { Logger } from '@nestjs/common';
import { SYSTEM, userActor } from '../audit/audit-trail.service.js';
import type { RequestOrigin } from '../audit/request-origin.decorator.js';
import { type SessionLifetime } from '../config.js';
import { hashSecret, newSecret } from '../secrets.js';
import { type RefreshTokenKind, RefreshTokenRepository } from './refresh-token.repository.js';
import { SessionParts } from './session-parts.js';
import type { Session } from './sessions.entity.js';
import { type TokenContent } from './token-signer.js';

export type SignInOrigin = RequestOrigin;

export interface ProvenSignIn extends SignInOrigin {
  method: string;
  /** `signInEpoch` of the holder, read before or with what the proof was compared with. */
  epoch: number;
  /** When it was proven, if that was not now; null when nobody knows. */
  provenAt?: Date | null;
  /** True when it was proven by a password or a passkey of the user, and not by a provider. */
  personProven?: boolean;
  /** When the session of an earlier proof ends for good, and the new one with it. */
  endsAt?: Date | undefined;
  /** True when a page opens it, which keeps its refresh token in a cookie. */
  ofPage?: boolean;
}

const MAX_USER_AGENT = 300;

/** What the sessions of users and of operators have in common: everything but who holds them. */
export interface SessionHolders {
  readonly kind: RefreshTokenKind;
  readonly lifetime: SessionLifetime;
  /** Holds the row until the transaction ends. @returns null for one who is not active, or in another epoch */
  lock(tx: TenantTransaction, id: string, epoch?: number): Promise<TokenContent | null>;
  opened?(tx: TenantTransaction, session: OpenedSession, content: TokenContent): Promise<void>;
}

export type OpenedSession = Pick<Session, 'id' | 'userId'> & SignInOrigin;

/** What may have to come before a session is opened, such as a second factor. */
export interface Precondition<Need, Asked> {
  /** Reads, in the transaction that opens the session, what has to come first; null for nothing. */
  needOf(tx: TenantTransaction): Promise<Need | null>;
  ask(need: Need): Promise<Asked>;
}

export abstract class SessionIssuer {
  private readonly logger = new Logger('SessionIssuer');

  protected constructor(
    private readonly parts: SessionParts,
    private readonly holders: SessionHolders,
  ) {}

  /**
   * @param first what may have to come first, read with the holder: no round trip of its own
   * @returns the tokens, or what the holder is asked for in their place
   * @throws PlatformError INVALID_CREDENTIALS when the holder's epoch is over, WORKSPACE_SUSPENDED, or what `first`
   * rejects with
   */
  async open<Need = never, Asked = never>(
    tenantId: string,
    userId: string,
    origin: ProvenSignIn,
    first?: Precondition<Need, Asked>,
  ): Promise<TokenPair | Asked> {
    this.parts.signer.assertIssuesFor(tenantId);
    const { database, sessions, refreshTokens, trail } = this.parts;
    const { lifetime } = this.holders;
    const tokenId = newId();
    const session = { id: newId(), userId, personProven: origin.personProven ?? false, ...shortened(origin) };
    const { content, need } = await database.transaction({ ...origin, tenantId }, async (tx) => {
      const holder = this.holders.lock(tx, userId, origin.epoch);
      const [found, needed] = await Promise.all([holder, first?.needOf(tx) ?? null]);
      if (!found) throw new PlatformError('INVALID_CREDENTIALS');
      if (needed !== null) return { content: found, need: needed };
      trail.record(tx, {
        action: 'sign_in.succeeded',
        actor: this.holders.kind === 'operators' ? { kind: 'operator', id: userId } : userActor(userId),
        subject: { kind: 'user', id: userId },
        detail: { sessionId: session.id, method: origin.method },
      });
      sessions.insert(tx, session, lifetime);
      if (origin.provenAt !== undefined) sessions.dateProof(tx, session.id, origin.provenAt, origin.endsAt);
      await this.holders.opened?.(tx, session, found);
      return { content: found, need: null };
    });
    if (first && need !== null) return first.ask(need);
    const refreshToken = newSecret();
    const owner = { sessionId: session.id, tenantId, userId, ofPage: origin.ofPage ?? false };
    // A crash before this leaves a session that nobody can refresh; it expires.
    await refreshTokens.store(database, hashSecret(refreshToken), owner, lifetime.idleSeconds);
    const untilEnd = origin.endsAt
      ? Math.floor((origin.endsAt.getTime() - Date.now()) / 1000)
      : Number.POSITIVE_INFINITY;
    const remainingSeconds = Math.min(lifetime.idleSeconds, lifetime.maxSeconds, untilEnd);
    return this.tokenPair(content, session.id, refreshToken, tokenId, remainingSeconds);
  }

  /**
   * A client that lost the answer gets the same successor for ten seconds (a page with a token of its own: for a minute), until it is used. Otherwise
   * two parties hold the token, and the session ends (RFC 9700, section 4.14.2).
   * @param options `ofPage`: of several windows with one token, one whose call was overtaken ends nothing
   * @throws PlatformError INVALID_REFRESH_TOKEN, WORKSPACE_SUSPENDED
   */
  async refresh(
    refreshToken: string,
    origin: SignInOrigin,
    { ofPage = false }: { readonly ofPage?: boolean } = {},
  ): Promise<TokenPair> {
    const { database, sessions } = this.parts;
    const { lifetime } = this.holders;
    const tokenId = newId();
    const rotation = await this.rotate(refreshToken, ofPage);
    if (rotation.outcome === 'unknown') throw new PlatformError('INVALID_REFRESH_TOKEN');
    const { tenantId, userId, sessionId } = rotation.owner;
    this.parts.signer.assertIssuesFor(tenantId);
    if (rotation.outcome === 'reused') {
      if (rotation.wasOvertaken) throw new PlatformError('INVALID_REFRESH_TOKEN');
      this.logger.warn({ msg: 'A spent refresh token was presented; its session ends', tenantId, userId, sessionId });
      await this.end({ ...origin, tenantId }, userId, sessionId, 'session.replay_noticed');
      throw new PlatformError('INVALID_REFRESH_TOKEN');
    }
    const { content, remainingSeconds } = await database.transaction(tenantId, async (tx) => {
      // The holder first: disabling one locks in this order too.
      const found = await this.holders.lock(tx, userId);
      const remaining = await sessions.touch(tx, sessionId, lifetime.idleSeconds, shortened(origin));
      return { content: found, remainingSeconds: remaining };
    });
    if (!content || remainingSeconds === null) throw new PlatformError('INVALID_REFRESH_TOKEN');
    return this.tokenPair(content, sessionId, rotation.successor, tokenId, remainingSeconds);
  }

  /** Ends the session of a refresh token, if it has one. */
  async endOf(refreshToken: string, origin: SignInOrigin): Promise<void> {
    const rotation = await this.rotate(refreshToken, false);
    if (rotation.outcome === 'unknown') return;
    const { tenantId, userId, sessionId } = rotation.owner;
    await this.end({ ...origin, tenantId, userId }, userId, sessionId, 'sign_in.signed_out');
  }

  private rotate(refreshToken: string, ofPage: boolean): ReturnType<RefreshTokenRepository['rotate']> {
    const { kind, lifetime } = this.holders;
    return this.parts.database.crossTenant((tx) =>
      this.parts.refreshTokens.rotate(tx, refreshToken, kind, lifetime.idleSeconds, ofPage),
    );
  }

  /** @throws PlatformError INVALID_QUERY for a cursor of another user or list */
  async list(tenantId: string, userId: string, query: ListQuery): Promise<ListAnswer<Session>> {
    const page = parsePage(query, { tenantId, list: 'sessions', filter: userId });
    const { rows, counted } = await this.parts.database.transaction(tenantId, (tx) =>
      this.parts.sessions.listOfUser(tx, userId, page),
    );
    return listAnswer(rows, page, counted, idPosition);
  }

  /** @param by who ends it, in the tenant of the holder @returns whether the holder had such a session */
  async end(
    by: TransactionOrigin,
    userId: string,
    sessionId: string,
    action: 'session.ended' | 'session.replay_noticed' | 'sign_in.signed_out' = 'session.ended',
  ): Promise<boolean> {
    const found = await this.parts.database.transaction(by, async (tx) => {
      if (!(await this.endWithin(tx, userId, sessionId))) return false;
      const wasReplayed = action === 'session.replay_noticed';
      this.parts.trail.record(tx, {
        action,
        subject: { kind: 'user', id: userId },
        detail: { sessionId },
        ...(wasReplayed && { outcome: 'failure', actor: SYSTEM }),
      });
      return true;
    });
    if (found) await this.forget([sessionId]);
    return found;
  }

  /** Like {@link end}, as a part of another change; call {@link forget} with the id after the commit. */
  async endWithin(tx: TenantTransaction, userId: string, sessionId: string): Promise<boolean> {
    const deleted = await this.parts.sessions.delete(tx, userId, sessionId);
    if (deleted) await this.parts.revocations.record(tx, 'session', sessionId);
    return deleted;
  }

  /** @param by who ends them, in the tenant of the holder */
  async endAll(by: TransactionOrigin, userId: string): Promise<void> {
    const ended = await this.parts.database.transaction(by, async (tx) => {
      const ids = await this.deleteAllWithin(tx, userId);
      this.parts.trail.record(tx, {
        action: 'session.all_ended',
        subject: { kind: 'user', id: userId },
        detail: { sessions: ids.length },
      });
      return ids;
    });
    await this.forget(ended);
  }

  async endAllWithin(tx: TenantTransaction, userId: string): Promise<string[]> {
    return this.deleteAllWithin(tx, userId);
  }

  /** Like {@link endAllWithin}, but API keys go on. */
  async deleteAllWithin(tx: TenantTransaction, userId: string): Promise<string[]> {
    await this.parts.sessions.endPendingSignIns(tx, userId);
    const ids = await this.parts.sessions.deleteOfUser(tx, userId);
    for (const id of ids) await this.parts.revocations.record(tx, 'session', id);
    return ids;
  }

  /** Like {@link endAllWithin}, for all but one session; the caller holds the user's row, so that none opens meanwhile. */
  async endOthersWithin(tx: TenantTransaction, userId: string, keptId: string): Promise<string[]> {
    await this.parts.sessions.endPendingSignIns(tx, userId);
    const ids = await this.parts.sessions.deleteOthersOfUser(tx, userId, keptId);
    for (const id of ids) await this.parts.revocations.record(tx, 'session', id);
    return ids;
  }

  /** After the commit: publishes the cut-offs and deletes refresh tokens, which a deleted session has disabled already. */
  async forget(sessionIds: readonly string[]): Promise<void> {
    await this.parts.revocations.publishPending();
    await this.parts.database.crossTenant((tx) => this.parts.refreshTokens.deleteOfSessions(tx, sessionIds));
  }

  private async tokenPair(
    content: TokenContent,
    sessionId: string,
    refreshToken: string,
    tokenId: string,
    remainingSeconds: number,
  ): Promise<TokenPair> {
    // No access token outlives its session.
    const expiresIn = Math.min(ACCESS_TOKEN_SECONDS, remainingSeconds);
    const accessToken = await this.parts.signer.sign({ ...content, sid: sessionId }, expiresIn, tokenId);
    return { accessToken, refreshToken, tokenType: 'Bearer', expiresIn };
  }
}

const shortened = ({ address, userAgent }: SignInOrigin): SignInOrigin => ({
  address,
  userAgent: userAgent?.slice(0, MAX_USER_AGENT) ?? null,
});
