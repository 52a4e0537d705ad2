import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, inWorkspace } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { notingFailedProof, RefusedActs } from '../audit/refused-acts.js';
import { type SignInUser, UserRepository } from '../people/people.repository.js';
import { PersonService } from '../people/person.service.js';
import type { PersonWorkspace } from '../sessions/person-session.repository.js';
import { PersonSessionService } from '../sessions/person-session.service.js';
import type { SignInOrigin } from '../sessions/session.service.js';
import type { SignInOutcome } from './device-tokens.js';
import { SignInLimit } from './guess-limits.js';
import type { SignInAnswer } from './mfa.service.js';
import { PasswordService } from './password.service.js';
import type { PersonWorkspacesView, SwitchInput } from './sign-in.dto.js';
import { type FirstProof, SignInService } from './sign-in.service.js';
import { wrongPassword } from './step-up.service.js';

/** Leads a person from one of their workspaces to another, which admits them as it admits a sign-in. */
@Injectable()
export class WorkspaceSwitchService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly persons: PersonService,
    private readonly ofPerson: PersonSessionService,
    private readonly signIns: SignInService,
    private readonly passwords: PasswordService,
    private readonly limit: SignInLimit,
    private readonly refusals: RefusedActs,
  ) {}

  async list(principal: Principal): Promise<PersonWorkspacesView> {
    const { workspaces, partial } = await this.ofPerson.visibleWorkspaces(principal);
    return workspacesView(principal, workspaces, partial);
  }

  /** All of them, in whatever session. @throws PlatformError INVALID_CREDENTIALS, RATE_LIMITED */
  async listAll(principal: Principal, password: string, origin: SignInOrigin): Promise<PersonWorkspacesView> {
    const workspaces = await this.ofPerson.workspaces(principal);
    const user = await this.users.readForSignIn(this.database, principal);
    await this.provePassword(principal, workspaces, user?.email ?? '', password, origin);
    return workspacesView(principal, workspaces, false);
  }

  /**
   * @throws PlatformError NOT_FOUND for a workspace that is not one of the person's; TOKEN_REVOKED, STEP_UP_REQUIRED,
   * INVALID_CREDENTIALS, RATE_LIMITED, or what refuses the sign-in
   */
  async enter(
    principal: Principal,
    { tenantId, password }: SwitchInput,
    origin: SignInOrigin,
  ): Promise<SignInOutcome<SignInAnswer>> {
    const workspaces = await this.ofPerson.workspaces(principal);
    const target = workspaces.find((workspace) => workspace.tenantId === tenantId && workspace.joinedAt !== null);
    // Before the session is looked at: whatever ends the sessions of the person from now on ends the epoch of the user as well.
    const user = target && (await this.users.readForSignIn(this.database, target));
    if (user?.status !== 'active') throw new PlatformError('NOT_FOUND', 'Workspace not found');
    // Whom a provider has made only the provider lets in: the person may be who had the address before.
    if (user.origin === 'identity_provider') throw new PlatformError('SINGLE_SIGN_ON_REQUIRED');
    const proof = await this.prove(principal, workspaces, user, password, origin);
    return this.signIns.admit(user, origin, { purpose: 'switch', ...proof });
  }

  /** The proof of the session goes on as old as it is; a password is a new one. */
  private async prove(
    principal: Principal,
    workspaces: readonly PersonWorkspace[],
    { email }: SignInUser,
    password: string | undefined,
    origin: SignInOrigin,
  ): Promise<Omit<FirstProof, 'purpose'>> {
    const session = await this.ofPerson.calling(principal, workspaces);
    if (!session) throw new PlatformError('TOKEN_REVOKED');
    const { isOfPerson, provenAt, endsAt } = session;
    if (password === undefined) {
      if (isOfPerson) return { provenAt, endsAt };
      throw new PlatformError('STEP_UP_REQUIRED', undefined, { members: { proofs: ['password'] } });
    }
    await this.provePassword(principal, workspaces, email, password, origin);
    return { provenAt: new Date() };
  }

  private provePassword(
    principal: Principal,
    workspaces: readonly PersonWorkspace[],
    email: string,
    password: string,
    origin: SignInOrigin,
  ): Promise<void> {
    return notingFailedProof(this.refusals, principal, principal.userId, () =>
      this.limit.guess(`user:${email}`, origin.address, async () => {
        const stored = await inWorkspace(this.database, principal, (tx) => this.persons.passwordOf(tx, workspaces));
        if (!(await this.passwords.matches(stored, password, origin.address))) throw wrongPassword();
      }),
    );
  }
}

function workspacesView(
  { tenantId: current }: Principal,
  workspaces: readonly PersonWorkspace[],
  partial: boolean,
): PersonWorkspacesView {
  const data = workspaces.map(({ tenantId, name, roles }) => {
    return { tenantId, name, roles: [...roles], current: tenantId === current };
  });
  return { data, partial };
}
