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
    summary: 'Get the workspace',
    description: 'Its name, time zone, country, currency, language, and plan.',
    answers: [{ status: 200, description: 'The workspace', body: () => Workspace }],
  })
  get(@CurrentPrincipal() principal: Principal): Promise<Workspace> {
    return this.tenants.get(principal.tenantId);
  }

  @Patch()
  @Access({ right: 'administer', proof: false })
  @Describe({
    summary: 'Update the workspace settings',
    description: 'A new time zone or country applies everywhere within a minute. Only operators can change the plan.',
    answers: [{ status: 200, description: 'The workspace', body: () => Workspace }],
  })
  change(@CurrentPrincipal() principal: Principal, @Body() input: WorkspaceChangeInput): Promise<Workspace> {
    return this.tenants.change(principal, input);
  }
}
