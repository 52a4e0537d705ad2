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
    summary: 'Get two-step verification settings',
    description: 'Whether it is on, whether an authenticator app is in use, and how many recovery codes are left.',
    answers: [{ status: 200, description: 'The setting', body: () => MfaSettingsView }],
  })
  async get(@CurrentPrincipal() principal: Principal): Promise<MfaSettingsView> {
    return this.settings.describe(principal);
  }

  @Put()
  @Describe({
    summary: 'Turn two-step verification on or off',
    description:
      "With two-step verification on, every sign-in needs a code: from the authenticator app if one is in use, otherwise six digits by email. It can't be turned off while an authenticator app is in use or the workspace requires it. Turning it off also requires authentication by code or passkey within the last 10 minutes, instead of the password for users without one.",
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
    summary: 'Start to set up an authenticator app',
    description:
      'Six-digit codes by RFC 6238 (SHA-1, 30 seconds). The app is in use once a code confirms it. Starting again replaces an unconfirmed secret.',
    answers: [{ status: 201, description: 'The setup data, shown once', body: () => AuthenticatorView }],
    errors: ['CONFLICT'],
  })
  async startEnrolment(@CurrentPrincipal() principal: Principal): Promise<AuthenticatorView> {
    return this.settings.startEnrolment(principal);
  }

  @Post('authenticator/confirm')
  @Access({ right: 'read', proof: true })
  @NotRepeatable()
  @Describe({
    summary: 'Confirm the authenticator app',
    description:
      'From then on, every sign-in asks for a code from the app, or one of the 10 recovery codes in the response.',
    answers: [{ status: 200, description: 'The recovery codes, shown once', body: () => RecoveryCodesView }],
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
    summary: 'Remove the authenticator app',
    description: 'Its recovery codes stop working. Two-step verification stays on, with codes by email.',
    answers: [{ status: 204, description: 'The authenticator app is removed' }],
    errors: ['NOT_FOUND'],
  })
  async removeAuthenticator(@CurrentPrincipal() principal: Principal): Promise<void> {
    await this.settings.removeAuthenticator(principal);
  }

  @Post('recovery-codes')
  @Access({ right: 'read', proof: true })
  @NotRepeatable()
  @Describe({
    summary: 'Replace your recovery codes',
    description: 'Returns 10 new codes. The previous ones stop working.',
    answers: [{ status: 201, description: 'The recovery codes, shown once', body: () => RecoveryCodesView }],
    errors: ['CONFLICT'],
  })
  async replaceRecoveryCodes(@CurrentPrincipal() principal: Principal): Promise<RecoveryCodesView> {
    return { recoveryCodes: await this.settings.replaceRecoveryCodes(principal) };
  }
}
