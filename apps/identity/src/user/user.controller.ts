import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { Describe, IdParam, type ListAnswer, ListQuery, mapList, NotRepeatable } from '@crm/http';
import { IdempotencyKey } from '@crm/idempotency';
import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { UserChangeInput, UserInput, UserView, userView } from './user.dto.js';
import { UserService } from './user.service.js';

@Controller('api/tenant/users')
export class UserController {
  constructor(private readonly users: UserService) {}

  @Get()
  @Access({ right: 'read' })
  @Describe({
    summary: 'Users of the workspace',
    answers: [{ status: 200, description: 'In the order they came', body: () => UserView, list: true }],
  })
  async list(@CurrentPrincipal() principal: Principal, @Query() query: ListQuery): Promise<ListAnswer<UserView>> {
    return mapList(await this.users.list(principal.tenantId, query), userView);
  }

  @Get(':id')
  @Access({ right: 'read' })
  @Describe({
    summary: 'A user of the workspace',
    answers: [{ status: 200, description: 'The user', body: () => UserView }],
  })
  async get(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<UserView> {
    return userView(await this.users.get(principal.tenantId, id));
  }

  @Post()
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Adds a user, by password or by an invitation that goes out by mail',
    answers: [{ status: 201, description: 'The user', body: () => UserView }],
    refusals: ['ROLE_NOT_GRANTABLE', 'EMAIL_TAKEN'],
  })
  async add(
    @CurrentPrincipal() principal: Principal,
    @Body() input: UserInput,
    @IdempotencyKey() key: string | undefined,
  ): Promise<UserView> {
    return userView(await this.users.add(principal, input, key));
  }

  @Patch(':id')
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Changes name, roles or status of a user',
    description:
      'A change of roles cuts off the access tokens of the user; disabling ends their sessions too. A user who never accepted their invitation becomes invited again, not active.',
    answers: [{ status: 200, description: 'The user', body: () => UserView }],
    refusals: ['ROLE_NOT_GRANTABLE', 'CONFLICT'],
  })
  async change(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Body() input: UserChangeInput,
  ): Promise<UserView> {
    return userView(await this.users.change(principal, id, input));
  }

  @Post(':id/invitation')
  @HttpCode(204)
  @Access({ right: 'administer' })
  @NotRepeatable()
  @Describe({
    summary: 'Sends an invited user a new invitation',
    description: 'The link in the mail before is void. Five in an hour for each user.',
    answers: [{ status: 204, description: 'The mail is on its way' }],
    refusals: ['ROLE_NOT_GRANTABLE', 'CONFLICT'],
  })
  async inviteAgain(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.users.inviteAgain(principal, id);
  }
}
