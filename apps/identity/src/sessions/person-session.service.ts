import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { idPosition, type ListAnswer, type ListQuery, listAnswer, parsePage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import type { EmailHolder } from '../people/email.repository.js';
import { PersonRepository } from '../people/person.repository.js';
import {
  type PersonSession,
  PersonSessionRepository,
  type PersonWorkspace,
  type SecondFactor,
} from './person-session.repository.js';
import { SessionRepository } from './session.repository.js';
import { SessionService } from './session.service.js';
import type { Session } from './sessions.entity.js';

/** The session that someone calls with. */
export interface CallingSession extends Session {
  /** True when it may act for the person in their other workspaces. */
  readonly isOfPerson: boolean;
}

/** The workspaces of a person, and their sessions in all of them. */
@Injectable()
export class PersonSessionService {
  constructor(
    private readonly database: Database,
    private readonly own: SessionRepository,
    private readonly persons: PersonSessionRepository,
    private readonly sessions: SessionService,
    private readonly people: PersonRepository,
  ) {}

  /** Where the caller can be a user; a local account in its own workspace only. */
  async workspaces({ tenantId, userId }: Principal): Promise<PersonWorkspace[]> {
    return this.persons.workspaces(this.database, { tenantId, userId });
  }

  /**
   * Where else the person is, is told to a session that speaks for them alone.
   * @returns whether other workspaces are left out, if there are any
   */
  async visibleWorkspaces(principal: Principal): Promise<{ workspaces: PersonWorkspace[]; partial: boolean }> {
    const workspaces = await this.workspaces(principal);
    const own = workspaces.filter(({ userId }) => userId === principal.userId);
    // A local account is in its own alone.
    const isMember = own.some(({ joinedAt }) => joinedAt !== null);
    const partial = isMember && !(await this.calling(principal, workspaces))?.isOfPerson;
    return { workspaces: partial ? own : workspaces, partial };
  }

  /**
   * A provider speaks for the users of its workspace alone, and so does who used an account before its address was proven.
   * @returns null when the session has ended
   */
  async calling(principal: Principal, workspaces: readonly PersonWorkspace[]): Promise<CallingSession | null> {
    const { tenantId, userId, sessionId } = principal;
    if (sessionId === undefined) return null;
    const session = await this.database.transaction(tenantId, (tx) => this.own.find(tx, userId, sessionId));
    if (!session) return null;
    const { joinedAt = null } = workspaces.find((workspace) => workspace.userId === userId) ?? {};
    return { ...session, isOfPerson: session.personProven && joinedAt !== null && joinedAt < session.createdAt };
  }

  /** For a change in every workspace of the person. @throws PlatformError STEP_UP_REQUIRED where the session speaks for one of several */
  async assertOfPerson(principal: Principal): Promise<void> {
    const isOnly = (await this.memberships(principal)).every(({ userId }) => userId === principal.userId);
    if (isOnly || (await this.isOfPerson(principal))) return;
    // It takes a sign-in with a password or a passkey.
    throw notWithinSession();
  }

  /**
   * For the same: it is as safe as the safest of their workspaces, whatever was set up in another by the password alone.
   * @throws PlatformError STEP_UP_REQUIRED for a user without the factor that speaks for the person
   */
  async assertSecondFactor(principal: Principal): Promise<void> {
    if (await this.hasSecondFactor(principal)) return;
    throw notWithinSession('Switch to a workspace where two-step verification is on for you');
  }

  /** Returns whether an authenticator that the user sets up now speaks for the person: it is their first factor, or proven by it. */
  async isFirstFactor({ userId }: Pick<Principal, 'userId'>): Promise<boolean> {
    const factors = await this.secondFactors(userId);
    const hasOwn = factors.some((factor) => factor.userId === userId);
    return !factors.some(({ authenticator }) => authenticator) && (hasOwn || factors.length === 0);
  }

  /** Returns whether the session speaks for the person. */
  async isOfPerson(principal: Principal): Promise<boolean> {
    return (await this.calling(principal, await this.workspaces(principal)))?.isOfPerson ?? false;
  }

  /** @throws PlatformError INVALID_QUERY for a cursor of another user or list */
  async list(principal: Principal, query: ListQuery): Promise<ListAnswer<PersonSession & { workspace: string }>> {
    const { tenantId, userId } = principal;
    const page = parsePage(query, { tenantId, list: 'sessions', filter: userId });
    const within = await this.within(principal);
    const { rows, counted } = await this.database.transaction(tenantId, (tx) => this.persons.list(tx, within, page));
    const names = new Map(within.map((workspace) => [workspace.tenantId, workspace.name]));
    const named = rows.map((session) => ({ ...session, workspace: names.get(session.tenantId) ?? '' }));
    return listAnswer(named, page, counted, idPosition);
  }

  /** @returns whether it was one of theirs */
  async end(principal: Principal, id: string): Promise<boolean> {
    for (const holder of await this.within(principal)) {
      if (await this.sessions.end(as(principal, holder), holder.userId, id)) return true;
    }
    return false;
  }

  /** Those of the caller's workspace last: should it fail before, the token can end them still. */
  async endAll(principal: Principal): Promise<void> {
    const { tenantId, userId } = principal;
    const others = (await this.within(principal)).filter((workspace) => workspace.tenantId !== tenantId);
    for (const holder of [...others, { tenantId, userId }]) {
      await this.sessions.endAll(as(principal, holder), holder.userId);
    }
  }

  /**
   * Returns whether the user has the factor that speaks for the person, or the person has none.
   * @param isProven whether anything was proven since the user has the factor: anyone who turns one on has proven the password alone
   */
  async hasSecondFactor({ userId }: Pick<Principal, 'userId'>, isProven = true): Promise<boolean> {
    const asked = factorsOfPerson(await this.secondFactors(userId));
    return asked.length === 0 || (isProven && asked.some((factor) => factor.userId === userId));
  }

  private async secondFactors(userId: string): Promise<SecondFactor[]> {
    return this.persons.secondFactors(this.database, await this.memberships({ userId }));
  }

  /** Also those in which they are disabled. @returns none of a local account */
  private async memberships({ userId }: Pick<Principal, 'userId'>): Promise<EmailHolder[]> {
    return this.database.crossTenant(async (tx) => {
      const personId = await this.people.personOf(tx, userId);
      return personId === undefined ? [] : this.people.memberships(tx, personId);
    });
  }

  /** The workspaces for which the session speaks: all of them, as a user who has the second factor of the person. */
  private async within(principal: Principal): Promise<PersonWorkspace[]> {
    const workspaces = await this.workspaces(principal);
    const session = await this.calling(principal, workspaces);
    const reachesAll = session?.isOfPerson && (await this.hasSecondFactor(principal, session.provenAt !== null));
    return reachesAll ? workspaces : workspaces.filter(({ userId }) => userId === principal.userId);
  }
}

/** Those of which one is asked for: an authenticator of the person before codes by mail, and both before what is of a workspace. */
function factorsOfPerson(factors: readonly SecondFactor[]): readonly SecondFactor[] {
  const ofPerson = factors.filter(({ authenticator }) => authenticator === true);
  if (ofPerson.length > 0 || factors.length === 1) return ofPerson.length > 0 ? ofPerson : factors;
  const byMail = factors.filter(({ authenticator }) => authenticator === null);
  return byMail.length > 0 ? byMail : factors;
}

/** Where no proof within the session helps. */
const notWithinSession = (detail?: string) =>
  new PlatformError('STEP_UP_REQUIRED', detail, { members: { proofs: [] } });

/** In another workspace a person acts as the user that they are there. */
const as = (principal: Principal, { tenantId, userId }: EmailHolder): Principal => ({ ...principal, tenantId, userId });
