import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe } from '@crm/http';
import { Controller, Get } from '@nestjs/common';
import { WORKSPACE_GROUP } from '../api-groups.js';
import { WorkspaceUsage } from './usage.dto.js';
import { UsageService } from './usage.service.js';

@ApiGroup(WORKSPACE_GROUP)
@Controller('api/tenant/usage')
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  @Get()
  @Access({ right: 'administer', proof: false })
  @Describe({
    summary: 'Get usage and limits',
    description:
      "At a limit nothing more can be added (`STORAGE_LIMIT_REACHED`); reading and deleting still work. From 80% of a limit there is a notice, and admins are emailed. What an uninstalled app left doesn't count.",
    answers: [{ status: 200, description: 'The usage', body: () => WorkspaceUsage }],
  })
  get(@CurrentPrincipal() principal: Principal): Promise<WorkspaceUsage> {
    return this.usage.get(principal.tenantId);
  }
}
