import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, EnumField, IdParam } from '@crm/http';
import { Controller, Delete, Query } from '@nestjs/common';
import { PERSONAL_DATA_GROUP } from '../api-groups.js';
import { LeavingService } from './leaving.service.js';

export class LeavingQuery {
  @EnumField(['true', 'false'], {
    optional: true,
    description: 'Whether to erase the user: nothing but the id is left in the workspace',
  })
  erase?: 'true' | 'false';
}

@ApiGroup(PERSONAL_DATA_GROUP)
@Controller('api/auth/workspaces')
export class LeavingController {
  constructor(private readonly leaving: LeavingService) {}

  @Delete(':tenantId')
  @Access({ right: 'read', proof: true })
  @Describe({
    summary: 'Leaves a workspace',
    description:
      'The sessions, factors, API keys and links of the current user in the workspace end at once, and tokens stop working within a second. The workspace keeps the name; other workspaces of the person stay as they are. Whoever leaves the last one is nobody any more: the address is free. The last owner makes somebody else an owner first (`CONFLICT`). In a session that an identity provider opened, only its own workspace can be left.',
    answers: [{ status: 204, description: 'The current user has left' }],
    errors: ['STEP_UP_REQUIRED', 'NOT_FOUND', 'CONFLICT'],
  })
  async leave(
    @CurrentPrincipal() principal: Principal,
    @IdParam('tenantId') tenantId: string,
    @Query() { erase }: LeavingQuery,
  ): Promise<void> {
    await this.leaving.leave(principal, tenantId, erase === 'true');
  }
}
