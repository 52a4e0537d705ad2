import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, NotRepeatable } from '@crm/http';
import { Controller, Delete, HttpCode, Post } from '@nestjs/common';
import { PERSONAL_DATA_GROUP } from '../../api-groups.js';
import { ErasureService } from './erasure.service.js';

const WHAT_GOES =
  'The account, its sessions, factors and links go at once, tokens stop working within a second, and nothing brings them back. Records keep the id of the user, and so does the audit trail; the event `user.erased` tells apps to erase what they have. The last owner makes somebody else an owner first (`CONFLICT`). Needs a proof of the password or second factor in the last ten minutes.';

@ApiGroup(PERSONAL_DATA_GROUP)
@Controller('api')
export class ErasureController {
  constructor(private readonly erasures: ErasureService) {}

  @Delete('auth/me')
  @HttpCode(204)
  @Access({ right: 'read' })
  @Describe({
    summary: 'Erases the current user',
    description: WHAT_GOES,
    answers: [{ status: 204, description: 'The user is erased' }],
    errors: ['CONFLICT', 'STEP_UP_REQUIRED'],
  })
  async eraseSelf(@CurrentPrincipal() principal: Principal): Promise<void> {
    await this.erasures.erase(principal, principal.userId);
  }

  @Post('admin/users/:id/erase')
  @HttpCode(204)
  @NotRepeatable()
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Erases a user of the workspace',
    description: `Not a user with a role above your own. ${WHAT_GOES}`,
    answers: [{ status: 204, description: 'The user is erased' }],
    errors: ['ROLE_NOT_GRANTABLE', 'CONFLICT', 'STEP_UP_REQUIRED'],
  })
  async erase(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.erasures.erase(principal, id);
  }
}
