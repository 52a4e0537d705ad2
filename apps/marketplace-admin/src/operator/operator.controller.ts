import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { rpc } from '@crm/contracts';
import { ApiGroup, Describe, IdParam } from '@crm/http';
import { Rpc } from '@crm/messaging';
import { Body, Controller, Delete, Get, HttpCode, Patch } from '@nestjs/common';
import { OperatorChangeInput, OperatorListView, OperatorView } from './operator.dto.js';

/** For administrators. identity checks the token again and decides. */
@ApiGroup({
  name: 'Operators',
  description: 'The people who run the platform, their roles and their sessions. They are created by a command.',
})
@Controller('api/admin/operators')
@Access({ right: 'administer' })
export class OperatorController {
  constructor(private readonly rpc: Rpc) {}

  @Get()
  @Describe({
    summary: 'Lists the operators',
    description: 'Disabled ones are included.',
    answers: [{ status: 200, description: 'The operators, oldest first', body: () => OperatorListView }],
  })
  async list(@CurrentPrincipal() principal: Principal): Promise<OperatorListView> {
    return this.rpc.call(rpc.identity.listOperators, {}, principal);
  }

  @Patch(':id')
  @Describe({
    summary: 'Changes the name, role, status or linked workspace of an operator',
    description:
      'Access tokens of the operator are revoked within a second; disabling also ends the sessions. The last active administrator stays one (`CONFLICT`). Needs a proof of your second factor or password in the last ten minutes.',
    answers: [{ status: 200, description: 'The operator', body: () => OperatorView }],
    errors: ['STEP_UP_REQUIRED', 'CONFLICT'],
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
    return this.rpc.call(rpc.identity.changeOperator, { id, ...changes }, principal);
  }

  @Delete(':id/sessions')
  @HttpCode(204)
  @Describe({
    summary: 'Ends every session of an operator',
    description: 'Access tokens of these sessions stop working within a second. Needs a proof in the last ten minutes.',
    answers: [{ status: 204, description: 'The sessions have ended' }],
    errors: ['STEP_UP_REQUIRED'],
  })
  async endSessions(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.rpc.call(rpc.identity.endSessionsOfOperator, { id }, principal);
  }

  @Delete(':id/authenticator')
  @HttpCode(204)
  @Describe({
    summary: 'Removes the authenticator of an operator who has lost it',
    description:
      'Their recovery codes stop working and their sessions end; in production they set up a new one at the next sign-in. Nobody removes their own (`CONFLICT`). Needs a proof in the last ten minutes.',
    answers: [{ status: 204, description: 'The authenticator is removed' }],
    errors: ['STEP_UP_REQUIRED', 'CONFLICT'],
  })
  async resetAuthenticator(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.rpc.call(rpc.identity.resetOperatorAuthenticator, { id }, principal);
  }
}
