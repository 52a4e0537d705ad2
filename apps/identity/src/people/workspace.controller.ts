import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe } from '@crm/http';
import { Body, Controller, Get, Patch } from '@nestjs/common';
import { WORKSPACE_GROUP } from '../api-groups.js';
import { TenantService } from './people.service.js';
import { Workspace, WorkspaceChangeInput } from './workspace.dto.js';

@ApiGroup(WORKSPACE_GROUP)
@Controller('api/tenant')
export class WorkspaceController {
  constructor(private readonly tenants: TenantService) {}

  @Get()
  @Access({ right: 'read' })
  @Describe({
    summary: 'Returns the workspace',
    description: 'Its name, time zone, country, currency, language and plan.',
    answers: [{ status: 200, description: 'The workspace', body: () => Workspace }],
  })
  get(@CurrentPrincipal() principal: Principal): Promise<Workspace> {
    return this.tenants.get(principal.tenantId);
  }

  @Patch()
  @Access({ right: 'administer', proof: false })
  @Describe({
    summary: 'Changes the settings of the workspace',
    description:
      'Other services know of a new time zone or country within a minute. The plan is the operators to change.',
    answers: [{ status: 200, description: 'The workspace', body: () => Workspace }],
  })
  change(@CurrentPrincipal() principal: Principal, @Body() input: WorkspaceChangeInput): Promise<Workspace> {
    return this.tenants.change(principal, input);
  }
}
