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
    summary: 'Lists the roles that can be given',
    description:
      'Built-in ones first, then by name those of the workspace and of apps, with the apps that bring them. What a field opens to a role is in the definition of its object.',
    answers: [{ status: 200, description: 'The roles', body: () => RoleListView }],
  })
  async list(@CurrentPrincipal() { tenantId }: Principal): Promise<RoleListView> {
    return { data: await this.roles.list(tenantId) };
  }

  @Post()
  @Access({ right: 'administer', proof: false })
  @Describe({
    summary: 'Adds a role to the workspace',
    description:
      'It opens nothing by itself: an app that brings a role of the name shares it. `CONFLICT` for a role that is there, and for the 101st.',
    answers: [{ status: 201, description: 'The role', body: () => RoleView }],
    errors: ['CONFLICT'],
  })
  async add(@CurrentPrincipal() principal: Principal, @Body() input: RoleInput): Promise<RoleView> {
    return this.roles.add(principal, input);
  }

  @Delete(':name')
  @Access({ right: 'administer', proof: false })
  @Describe({
    summary: 'Removes a role of the workspace',
    description:
      'Not while a user, service account or identity provider has it or a field names it (`CONFLICT`). Roles of apps go with the app.',
    answers: [{ status: 204, description: 'The role is removed' }],
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  async remove(@CurrentPrincipal() principal: Principal, @Param('name') name: string): Promise<void> {
    await this.roles.remove(principal, name);
  }
}
