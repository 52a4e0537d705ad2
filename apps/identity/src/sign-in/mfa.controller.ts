import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, Delete, Get, Post, Put } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { MfaSettingsService } from './mfa-settings.service.js';
import {
  AuthenticatorCodeInput,
  AuthenticatorView,
  MfaInput,
  MfaSettingsView,
  RecoveryCodesView,
} from './sign-in.dto.js';

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/mfa')
@Access({ right: 'read' })
export class MfaController {
  constructor(private readonly settings: MfaSettingsService) {}

  @Get()
  @Describe({
    summary: 'Returns how the current user proves their second factor',
    description: 'Whether it is on, whether an authenticator is in use and how many recovery codes are left.',
    answers: [{ status: 200, description: 'The setting', body: () => MfaSettingsView }],
  })
  async get(@CurrentPrincipal() principal: Principal): Promise<MfaSettingsView> {
    return this.settings.describe(principal);
  }

  @Put()
  @Describe({
    summary: 'Turns the second factor of the current user on or off',
    description:
      'With the second factor on, every sign-in is completed by a code: of the authenticator where one is in use, otherwise one of six digits that is sent by e-mail. It cannot be turned off while an authenticator is in use or where the workspace requires it; otherwise turning it off needs, besides the password, a proof by the code or a passkey in the last ten minutes. A user without a password needs such a proof in its place.',
    answers: [{ status: 204, description: 'The setting is stored' }],
    errors: ['INVALID_CREDENTIALS', 'STEP_UP_REQUIRED', 'CONFLICT'],
  })
  async set(@CurrentPrincipal() principal: Principal, @Body() input: MfaInput): Promise<void> {
    await this.settings.setEnabled(principal, input.enabled, input.password);
  }

  @Post('authenticator')
  @Access({ right: 'read', proof: true })
  @NotRepeatable()
  @Describe({
    summary: 'Starts to set up an authenticator app',
    description:
      'Codes of six digits by RFC 6238 (SHA-1, 30 seconds). The authenticator counts once a code confirms it; starting again replaces a secret that is not confirmed.',
    answers: [{ status: 201, description: 'What the app is set up with, this once', body: () => AuthenticatorView }],
    errors: ['CONFLICT'],
  })
  async startEnrolment(@CurrentPrincipal() principal: Principal): Promise<AuthenticatorView> {
    return this.settings.startEnrolment(principal);
  }

  @Post('authenticator/confirm')
  @Access({ right: 'read', proof: true })
  @NotRepeatable()
  @Describe({
    summary: 'Puts the authenticator into use',
    description: 'From now on every sign-in asks for its code, or for one of the ten recovery codes in the answer.',
    answers: [{ status: 200, description: 'The recovery codes, this once', body: () => RecoveryCodesView }],
    errors: ['INVALID_CREDENTIALS', 'CONFLICT'],
  })
  async confirmEnrolment(
    @CurrentPrincipal() principal: Principal,
    @Body() { code }: AuthenticatorCodeInput,
  ): Promise<RecoveryCodesView> {
    return { recoveryCodes: await this.settings.confirmEnrolment(principal, code) };
  }

  @Delete('authenticator')
  @Access({ right: 'read', proof: true })
  @Describe({
    summary: 'Removes the authenticator',
    description: 'Its recovery codes stop working. The second factor stays on, by e-mail.',
    answers: [{ status: 204, description: 'The authenticator is removed' }],
    errors: ['NOT_FOUND'],
  })
  async removeAuthenticator(@CurrentPrincipal() principal: Principal): Promise<void> {
    await this.settings.removeAuthenticator(principal);
  }

  @Post('recovery-codes')
  @Access({ right: 'read', proof: true })
  @NotRepeatable()
  @Describe({
    summary: 'Replaces the recovery codes',
    description: 'Ten new codes; the previous ones stop working.',
    answers: [{ status: 201, description: 'The recovery codes, this once', body: () => RecoveryCodesView }],
    errors: ['CONFLICT'],
  })
  async replaceRecoveryCodes(@CurrentPrincipal() principal: Principal): Promise<RecoveryCodesView> {
    return { recoveryCodes: await this.settings.replaceRecoveryCodes(principal) };
  }
}
