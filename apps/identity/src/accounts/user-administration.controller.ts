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
    summary: 'Lists the users of the workspace',
    description:
      'Invited and disabled users are included, unless `status` says otherwise. With `q` and `ids` a picker finds who may own a record.',
    answers: [{ status: 200, description: 'The users, oldest first', body: () => UserView, list: true }],
  })
  async list(@CurrentPrincipal() principal: Principal, @Query() query: UserListQuery): Promise<ListAnswer<UserView>> {
    return mapList(await this.users.list(principal.tenantId, query), (user) => userView(principal, user));
  }

  @Get(':id')
  @Access({ right: 'read' })
  @Describe({
    summary: 'Returns a user of the workspace',
    description:
      'Includes roles and status, and to administrators and the user themselves whether the second factor is on.',
    answers: [{ status: 200, description: 'The user', body: () => UserView }],
  })
  async get(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<UserView> {
    return userView(principal, await this.users.get(principal.tenantId, id));
  }

  @Post()
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Adds a user',
    description:
      'Without a password the user is invited by e-mail. With one, which the workspace has to allow, nobody has proven the address; in production the first sign-in replaces the password. Nobody can grant a role above their own. How many users a workspace adds per day depends on its plan.',
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
    summary: 'Changes the name, roles or status of a user',
    description:
      'Giving a role needs a recent proof of who asks (`STEP_UP_REQUIRED`). A change of roles revokes the access tokens of the user; disabling the user also ends their sessions. Enabling a user who never accepted the invitation makes them `invited` again. The last active owner can be neither demoted nor disabled (`CONFLICT`).',
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
    summary: 'Sends a new invitation to an invited user',
    description:
      'The link in the previous mail stops working. At most five invitations per user and hour; a user who is not invited is a `CONFLICT`.',
    answers: [{ status: 204, description: 'The mail is queued' }],
    errors: ['ROLE_NOT_GRANTABLE', 'CONFLICT', 'EMAIL_NOT_VERIFIED'],
  })
  async inviteAgain(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.users.inviteAgain(principal, id);
  }

  @Delete(':id/second-factor')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Resets the second factor of a user',
    description:
      'For a user who has lost it: the authenticator, recovery codes and passkeys are removed, the second factor is off, and every session ends. The user is told by mail. Not for users with a role above your own, nor for yourself (`CONFLICT`).',
    answers: [{ status: 204, description: 'The second factor is reset' }],
    errors: ['ROLE_NOT_GRANTABLE', 'CONFLICT'],
  })
  async resetSecondFactor(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.members.resetSecondFactor(principal, id);
  }

  @Delete(':id')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Removes a user from the workspace',
    description:
      'Every way to act as the user in the workspace ends, and tokens stop working within a second. The user stays listed by name as `disabled`, with an address that reaches nobody; the address can be invited again, as a new user. One who never accepted the invitation is gone. Their other workspaces are not touched. Not for users with a role above your own, nor for yourself or the last active owner (`CONFLICT`).',
    answers: [{ status: 204, description: 'The user is removed' }],
    errors: ['ROLE_NOT_GRANTABLE', 'CONFLICT'],
  })
  async remove(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.members.remove(principal, id);
  }
}
