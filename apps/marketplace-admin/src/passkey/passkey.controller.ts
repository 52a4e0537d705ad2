import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { rpc } from '@crm/contracts';
import { ApiGroup, Describe, IdParam, NotRepeatable } from '@crm/http';
import {
  PasskeyAnswerInput,
  PasskeyInput,
  PasskeyListView,
  PasskeyNameInput,
  PasskeyOptionsView,
  PasskeyView,
} from '@crm/identity-views';
import { Rpc } from '@crm/messaging';
import { Body, Controller, Delete, Get, Headers, HttpCode, Patch, Post } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';

/** The passkeys of the operator who calls. */
@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth')
@Access({ right: 'read' })
export class PasskeyController {
  constructor(private readonly rpc: Rpc) {}

  @Get('passkeys')
  @Describe({
    summary: 'Lists the passkeys of the current operator',
    description: 'At most ten.',
    answers: [{ status: 200, description: 'The passkeys, oldest first', body: () => PasskeyListView }],
  })
  async list(@CurrentPrincipal() principal: Principal): Promise<PasskeyListView> {
    return this.rpc.call(rpc.identity.listOperatorPasskeys, {}, principal);
  }

  @Post('passkeys/options')
  @NotRepeatable()
  @HttpCode(200)
  @Describe({
    summary: 'Starts to set up a passkey',
    description:
      'The options ask for a passkey that is kept by the authenticator and for user verification. They are valid for five minutes, once, in this session. Needs a proof in the last ten minutes.',
    answers: [{ status: 200, description: 'Options for the browser', body: () => PasskeyOptionsView }],
    errors: ['STEP_UP_REQUIRED', 'CONFLICT'],
  })
  async options(@CurrentPrincipal() principal: Principal): Promise<PasskeyOptionsView> {
    return this.rpc.call(rpc.identity.getOperatorPasskeyOptions, {}, principal);
  }

  @Post('passkeys')
  @NotRepeatable()
  @Describe({
    summary: 'Adds a passkey',
    description:
      'From now on it signs in without password and authenticator. The operator is told by e-mail. Needs a proof in the last ten minutes.',
    answers: [{ status: 201, description: 'The passkey', body: () => PasskeyView }],
    errors: ['INVALID_CREDENTIALS', 'STEP_UP_REQUIRED', 'CONFLICT'],
  })
  async register(
    @CurrentPrincipal() principal: Principal,
    @Body() { challengeId, credential, name }: PasskeyInput,
    @Headers('user-agent') userAgent: string | undefined,
  ): Promise<PasskeyView> {
    const registration = { challengeId, credential, userAgent: userAgent ?? null, ...(name !== undefined && { name }) };
    return this.rpc.call(rpc.identity.addOperatorPasskey, registration, principal);
  }

  @Patch('passkeys/:id')
  @Describe({
    summary: 'Renames a passkey',
    description: 'The name is for the operator alone.',
    answers: [{ status: 200, description: 'The passkey', body: () => PasskeyView }],
  })
  async rename(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Body() { name }: PasskeyNameInput,
  ): Promise<PasskeyView> {
    return this.rpc.call(rpc.identity.renameOperatorPasskey, { id, name }, principal);
  }

  @Delete('passkeys/:id')
  @HttpCode(204)
  @Describe({
    summary: 'Removes a passkey',
    description:
      'It does not sign in any more; sessions that it opened go on. The operator is told by e-mail. Needs a proof in the last ten minutes.',
    answers: [{ status: 204, description: 'The passkey is removed' }],
    errors: ['STEP_UP_REQUIRED'],
  })
  async remove(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.rpc.call(rpc.identity.removeOperatorPasskey, { id }, principal);
  }

  @Post('step-up/passkey/options')
  @NotRepeatable()
  @HttpCode(200)
  @Describe({
    summary: 'Starts to prove again with a passkey who uses the session',
    description:
      'The options name the passkeys of the current operator. They are valid for five minutes, once, in this session.',
    answers: [{ status: 200, description: 'Options for the browser', body: () => PasskeyOptionsView }],
    errors: ['CONFLICT'],
  })
  async stepUpOptions(@CurrentPrincipal() principal: Principal): Promise<PasskeyOptionsView> {
    return this.rpc.call(rpc.identity.getOperatorPasskeyStepUpOptions, {}, principal);
  }

  @Post('step-up/passkey')
  @NotRepeatable()
  @HttpCode(204)
  @Describe({
    summary: 'Proves again with a passkey who uses the session',
    description: 'Calls that are refused with `STEP_UP_REQUIRED` are accepted for the next ten minutes.',
    answers: [{ status: 204, description: 'The proof is noted' }],
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED', 'CONFLICT'],
  })
  async stepUp(
    @CurrentPrincipal() principal: Principal,
    @Body() { challengeId, credential }: PasskeyAnswerInput,
  ): Promise<void> {
    await this.rpc.call(rpc.identity.stepUpOperatorByPasskey, { challengeId, credential }, principal);
  }
}
