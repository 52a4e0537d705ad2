import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { IdempotencyKey } from '@crm/database';
import { ApiGroup, Describe, IdParam, type ListAnswer, mapList, NotRepeatable } from '@crm/http';
import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { USER_GROUP } from '../api-groups.js';
import { UserChangeInput, UserInput, UserListQuery, UserView, userView } from './accounts.dto.js';
import { MemberAdministrationService } from './member-administration.service.js';
import { UserAdministrationService } from './user-administration.service.js';

@ApiGroup(USER_GROUP)
@Controller('api/tenant/users')
// The name stands in the operation ids of the OpenAPI document.
export class UserController {
  constructor(
    private readonly users: UserAdministrationService,
    private readonly members: MemberAdministrationService,
  ) {}

  @Get()
  @Access({ right: 'read' })
  @Describe({
    summary: 'List users',
    description:
      'Includes invited and disabled users unless `status` says otherwise. Use `q` and `ids` to find record owners.',
    answers: [{ status: 200, description: 'The users, oldest first', body: () => UserView, list: true }],
  })
  async list(@CurrentPrincipal() principal: Principal, @Query() query: UserListQuery): Promise<ListAnswer<UserView>> {
    return mapList(await this.users.list(principal.tenantId, query), (user) => userView(principal, user));
  }

  @Get(':id')
  @Access({ right: 'read' })
  @Describe({
    summary: 'Get a user',
    description: 'Includes roles and status. Admins and the user also see whether two-step verification is on.',
    answers: [{ status: 200, description: 'The user', body: () => UserView }],
  })
  async get(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<UserView> {
    return userView(principal, await this.users.get(principal.tenantId, id));
  }

  @Post()
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Add a user',
    description:
      "Without a password, the user is invited by email. With one, which the workspace has to allow, the address stays unverified; in production the first sign-in replaces the password. You can't grant a role higher than your own. The plan limits how many users a workspace can add per day.",
    answers: [{ status: 201, description: 'The user', body: () => UserView }],
    errors: ['ROLE_NOT_GRANTABLE', 'LOCAL_PASSWORDS_REFUSED', 'WEAK_PASSWORD', 'EMAIL_TAKEN', 'EMAIL_NOT_VERIFIED'],
  })
  async add(
    @CurrentPrincipal() principal: Principal,
    @Body() input: UserInput,
    @IdempotencyKey() key: string | undefined,
  ): Promise<UserView> {
    return userView(principal, await this.users.add(principal, input, key));
  }

  // A role that is given needs one, which depends on the body: UserAdministrationService.change asks for it.
  @Patch(':id')
  @Access({ right: 'administer', proof: false })
  @Describe({
    summary: 'Update a user',
    description:
      "Granting a role requires recent authentication (`STEP_UP_REQUIRED`). Changing roles revokes the user's access tokens; disabling the user also ends their sessions. Enabling a user who never accepted the invitation makes them `invited` again. The last active owner can't be demoted or disabled (`CONFLICT`).",
    answers: [{ status: 200, description: 'The user', body: () => UserView }],
    errors: ['STEP_UP_REQUIRED', 'ROLE_NOT_GRANTABLE', 'CONFLICT'],
  })
  async change(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Body() input: UserChangeInput,
  ): Promise<UserView> {
    return userView(principal, await this.users.change(principal, id, input));
  }

  @Post(':id/invitation')
  @Access({ right: 'administer', proof: false })
  @NotRepeatable()
  @Describe({
    summary: 'Resend an invitation',
    description:
      "The link in the previous email stops working. Up to 5 invitations per user and hour. `CONFLICT` if the user isn't invited.",
    answers: [{ status: 204, description: 'The email is queued' }],
    errors: ['ROLE_NOT_GRANTABLE', 'CONFLICT', 'EMAIL_NOT_VERIFIED'],
  })
  async inviteAgain(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.users.inviteAgain(principal, id);
  }

  @Delete(':id/second-factor')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: "Reset a user's two-step verification",
    description:
      'For a user who has lost their second step. Removes the authenticator app, recovery codes, and passkeys, turns two-step verification off, and ends every session. The user is notified by email. Not for users with a role higher than your own, nor for yourself (`CONFLICT`).',
    answers: [{ status: 204, description: 'Two-step verification is reset' }],
    errors: ['ROLE_NOT_GRANTABLE', 'CONFLICT'],
  })
  async resetSecondFactor(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.members.resetSecondFactor(principal, id);
  }

  @Delete(':id')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Remove a user',
    description:
      "All of the user's access to the workspace ends, and tokens stop working within a second. The user stays listed by name as `disabled`, without a working address; the address can be invited again as a new user. A user who never accepted the invitation is deleted. Their other workspaces don't change. Not for users with a role higher than your own, nor for yourself or the last active owner (`CONFLICT`).",
    answers: [{ status: 204, description: 'The user is removed' }],
    errors: ['ROLE_NOT_GRANTABLE', 'CONFLICT'],
  })
  async remove(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.members.remove(principal, id);
  }
}
