import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, NotRepeatable } from '@crm/http';
import { PasskeyInput, PasskeyListView, PasskeyNameInput, PasskeyOptionsView, PasskeyView } from '@crm/identity-views';
import { Body, Controller, Delete, Get, Headers, HttpCode, Patch, Post } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../../api-groups.js';
import { PasskeyService } from './passkey.service.js';
import { passkeyView } from './passkey-view.js';

/** The passkeys of the user who calls. */
@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/passkeys')
@Access({ right: 'read' })
export class PasskeyController {
  constructor(private readonly passkeys: PasskeyService) {}

  @Get()
  @Describe({
    summary: 'Lists the passkeys of the current user',
    description: 'At most ten.',
    answers: [{ status: 200, description: 'The passkeys, oldest first', body: () => PasskeyListView }],
  })
  async list(@CurrentPrincipal() principal: Principal): Promise<PasskeyListView> {
    return { data: (await this.passkeys.list(principal)).map(passkeyView) };
  }

  @Post('options')
  @NotRepeatable()
  @HttpCode(200)
  @Describe({
    summary: 'Starts to set up a passkey',
    description:
      'The options ask for a passkey that is kept by the authenticator and for user verification. They are valid for five minutes, once, in this session. Needs a proof of the password or second factor in the last ten minutes.',
    answers: [{ status: 200, description: 'Options for the browser', body: () => PasskeyOptionsView }],
    errors: ['STEP_UP_REQUIRED', 'CONFLICT'],
  })
  async options(@CurrentPrincipal() principal: Principal): Promise<PasskeyOptionsView> {
    return this.passkeys.registrationOptions(principal);
  }

  @Post()
  @NotRepeatable()
  @Describe({
    summary: 'Adds a passkey',
    description:
      'From now on it signs in without password and second factor. The user is told by e-mail. Needs a proof of the password or second factor in the last ten minutes.',
    answers: [{ status: 201, description: 'The passkey', body: () => PasskeyView }],
    errors: ['INVALID_CREDENTIALS', 'STEP_UP_REQUIRED', 'CONFLICT'],
  })
  async register(
    @CurrentPrincipal() principal: Principal,
    @Body() { challengeId, credential, name }: PasskeyInput,
    @Headers('user-agent') userAgent: string | undefined,
  ): Promise<PasskeyView> {
    const registration = { challengeId, credential, name, userAgent: userAgent ?? null };
    return passkeyView(await this.passkeys.register(principal, registration));
  }

  @Patch(':id')
  @Describe({
    summary: 'Renames a passkey',
    description: 'The name is for its user alone.',
    answers: [{ status: 200, description: 'The passkey', body: () => PasskeyView }],
  })
  async rename(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Body() { name }: PasskeyNameInput,
  ): Promise<PasskeyView> {
    return passkeyView(await this.passkeys.rename(principal, id, name));
  }

  @Delete(':id')
  @HttpCode(204)
  @Describe({
    summary: 'Removes a passkey',
    description:
      'It does not sign in any more; sessions that it opened go on. The user is told by e-mail. Needs a proof of the password or second factor in the last ten minutes.',
    answers: [{ status: 204, description: 'The passkey is removed' }],
    errors: ['STEP_UP_REQUIRED'],
  })
  async remove(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.passkeys.remove(principal, id);
  }
}
