import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam } from '@crm/http';
import { Body, Controller, Delete, Get, Patch } from '@nestjs/common';
import { OperatorChangeInput, OperatorListView, OperatorView } from './operator.dto.js';
import { OperatorAdministrationService } from './operator-administration.service.js';

@ApiGroup({
  name: 'Operators',
  description: 'The people who run the platform, their roles, and their sessions. A command creates them.',
})
@Controller('operators/api/admin/operators')
@Access({ right: 'administer', proof: false })
export class OperatorController {
  constructor(private readonly administration: OperatorAdministrationService) {}

  @Get()
  @Describe({
    summary: 'List operators',
    description: 'Includes disabled operators.',
    answers: [{ status: 200, description: 'The operators, oldest first', body: () => OperatorListView }],
  })
  async list(): Promise<OperatorListView> {
    return { data: await this.administration.list() };
  }

  @Patch(':id')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Update an operator',
    description:
      "The operator's access tokens are revoked within a second; disabling also ends the sessions. The last active administrator can't be changed, and you can't change your own link (`CONFLICT`).",
    answers: [{ status: 200, description: 'The operator', body: () => OperatorView }],
    errors: ['CONFLICT'],
  })
  async change(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Body() { name, role, status, linkedTenantId }: OperatorChangeInput,
  ): Promise<OperatorView> {
    const changes = {
      ...(name !== undefined && { name: name.trim() }),
      ...(role !== undefined && { role }),
      ...(status !== undefined && { status }),
      ...(linkedTenantId !== undefined && { linkedTenantId: linkedTenantId?.toLowerCase() ?? null }),
    };
    return this.administration.change(principal, id, changes);
  }

  @Delete(':id/sessions')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'End all sessions of an operator',
    description: 'Their access tokens stop working within a second.',
    answers: [{ status: 204, description: 'The sessions have ended' }],
  })
  async endSessions(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.administration.endSessions(principal, id);
  }

  @Delete(':id/authenticator')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: "Remove an operator's authenticator app",
    description:
      "For an operator who has lost it. Their recovery codes stop working and their sessions end; in production they set up a new app at the next sign-in. You can't remove your own (`CONFLICT`).",
    answers: [{ status: 204, description: 'The authenticator app is removed' }],
    errors: ['CONFLICT'],
  })
  async resetAuthenticator(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.administration.resetAuthenticator(principal, id);
  }
}
