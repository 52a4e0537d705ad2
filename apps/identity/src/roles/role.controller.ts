import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe } from '@crm/http';
import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { USER_GROUP } from '../api-groups.js';
import { RoleInput, RoleListView, RoleView } from './role.dto.js';
import { RoleService } from './role.service.js';

@ApiGroup(USER_GROUP)
@Controller('api/tenant/roles')
export class RoleController {
  constructor(private readonly roles: RoleService) {}

  @Get()
  @Access({ right: 'administer', proof: false })
  @Describe({
    summary: 'List roles',
    description:
      'Built-in roles first, then those of the workspace and of apps by name. The definition of an object says which fields a role opens.',
    answers: [{ status: 200, description: 'The roles', body: () => RoleListView }],
  })
  async list(@CurrentPrincipal() { tenantId }: Principal): Promise<RoleListView> {
    return { data: await this.roles.list(tenantId) };
  }

  @Post()
  @Access({ right: 'administer', proof: false })
  @Describe({
    summary: 'Add a role',
    description:
      'A role opens nothing by itself; apps that declare the same name share it. `CONFLICT` if the role exists, or the workspace already has 100.',
    answers: [{ status: 201, description: 'The role', body: () => RoleView }],
    errors: ['CONFLICT'],
  })
  async add(@CurrentPrincipal() principal: Principal, @Body() input: RoleInput): Promise<RoleView> {
    return this.roles.add(principal, input);
  }

  @Delete(':name')
  @Access({ right: 'administer', proof: false })
  @Describe({
    summary: 'Remove a role',
    description:
      "`CONFLICT` while a user, service account, or identity provider has it or a field uses it. Apps' roles are removed with the app.",
    answers: [{ status: 204, description: 'The role is removed' }],
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  async remove(@CurrentPrincipal() principal: Principal, @Param('name') name: string): Promise<void> {
    await this.roles.remove(principal, name);
  }
}
