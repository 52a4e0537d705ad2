import { Access, CurrentPrincipal, type Principal, Public } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, Post, Res } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { normaliseEmail } from '../people/people.service.js';
import { giveDeviceToken, type HeaderReply } from '../sign-in/device-tokens.js';
import { PasswordPolicy } from '../sign-in/password.service.js';
import { ReauthenticationView } from '../sign-in/sign-in.dto.js';
import { isMfaRequired } from '../sign-in/step-up.service.js';
import {
  EmailChangeInput,
  EmailChangeTokenInput,
  PasswordChangeInput,
  PasswordResetCompletionInput,
  PasswordResetCompletionView,
  PasswordResetInput,
  PasswordResetView,
  RegistrationInput,
  RegistrationView,
  VerificationInput,
} from './accounts.dto.js';
import { EmailChangeService, EmailChangeUndoService } from './email-change.service.js';
import { RegistrationLimit } from './limits.js';
import { PasswordChangeService, PasswordResetService } from './password-change.service.js';
import { RegistrationService, VerificationService } from './registration.service.js';

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/register')
export class RegistrationController {
  constructor(
    private readonly registrations: RegistrationService,
    private readonly limit: RegistrationLimit,
    private readonly policy: PasswordPolicy,
    private readonly verifications: VerificationService,
  ) {}

  @Post()
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Register a workspace and its owner',
    description:
      "The caller becomes the owner and can sign in immediately. The address has to be verified with an emailed link within 7 days. Until then `tenant.verified` is false, and the workspace can't add users, mint for new host users, or submit apps (`EMAIL_NOT_VERIFIED`). The response never tells whether the address has an account; its owner is emailed. In the development profile, registrations from loopback count as verified, and plans other than `developer` are accepted; elsewhere operators set them.",
    answers: [{ status: 201, description: 'The owner and the workspace', body: () => RegistrationView }],
    errors: ['PLAN_NOT_ALLOWED', 'WEAK_PASSWORD'],
  })
  async register(@Body() input: RegistrationInput, @CurrentOrigin() origin: RequestOrigin): Promise<RegistrationView> {
    const { address } = origin;
    await this.limit.consume(address, input.email);
    await this.policy.assertAcceptable(input.password, { ...input, workspace: input.workspace.name });
    const verified = this.limit.isTrusted(address);
    const claim = verified ? undefined : await this.verifications.claim(normaliseEmail(input.email));
    const { user, tenant } = await this.registrations.register(input, origin, claim);
    const { id, email, name, roles } = user;
    return { user: { id, email, name, roles }, tenant: { ...tenant, verified } };
  }
}

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/verify-email')
@Access({ right: 'own', proof: false })
export class VerificationController {
  constructor(private readonly verifications: VerificationService) {}

  @Post()
  @NotRepeatable()
  @Describe({
    summary: 'Verify the email address of the workspace',
    description:
      'The token comes from the link in any email to the address from the last 24 hours; the session says who verifies. The first to verify an address owns it, and the links of other registrations stop working. If a person already owns it, the workspace is added to their account, and they use their existing password. `CONFLICT` if nothing is waiting to be verified.',
    answers: [{ status: 204, description: 'The address is verified' }],
    errors: ['INVALID_VERIFICATION', 'CONFLICT'],
  })
  async verify(@CurrentPrincipal() principal: Principal, @Body() { token }: VerificationInput): Promise<void> {
    await this.verifications.verify(principal, token);
  }

  @Post('resend')
  @NotRepeatable()
  @Describe({
    summary: 'Resend the verification email',
    description:
      'The link in the previous email stops working. Up to 5 times per hour. `CONFLICT` if nothing is waiting to be verified.',
    answers: [{ status: 204, description: 'The email is queued' }],
    errors: ['CONFLICT'],
  })
  async resend(@CurrentPrincipal() principal: Principal): Promise<void> {
    await this.verifications.resend(principal);
  }
}

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/password')
export class PasswordChangeController {
  constructor(private readonly changes: PasswordChangeService) {}

  @Post()
  @NotRepeatable()
  @Access({ right: 'read', person: 'proof' })
  @Describe({
    summary: 'Change your password',
    description:
      "One password covers all of a person's workspaces. Send the current password; with two-step verification on, call again with the emailed code. The current session stays; all others end in every workspace, and so do the user's `X-Device-Token`s. The response has a new one for this device. The user is notified by email.",
    answers: [
      {
        status: 200,
        description: 'The password is changed, or `mfaRequired` with the challenge for the code',
        body: () => ReauthenticationView,
      },
    ],
    errors: ['INVALID_CREDENTIALS', 'WEAK_PASSWORD', 'CONFLICT'],
  })
  async change(
    @CurrentPrincipal() principal: Principal,
    @Body() input: PasswordChangeInput,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<ReauthenticationView> {
    const outcome = await this.changes.change(principal, input);
    if (isMfaRequired(outcome)) return outcome;
    giveDeviceToken(reply, outcome.deviceToken);
    return {};
  }
}

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/password-resets')
export class PasswordResetController {
  constructor(private readonly resets: PasswordResetService) {}

  @Post()
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Request a password reset link',
    description:
      'The response is the same whether or not the address has an account. The emailed link is valid for 30 minutes; up to 5 are sent to an address in 15 minutes. An unverified address gets a link for each workspace that has added it.',
    answers: [
      {
        status: 202,
        description: 'If the address has an account, the email is on its way',
        body: () => PasswordResetView,
      },
    ],
  })
  async request(@Body() input: PasswordResetInput, @CurrentOrigin() origin: RequestOrigin): Promise<PasswordResetView> {
    await this.resets.request(input.email, origin);
    return { accepted: true };
  }

  @Post('complete')
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Reset the password',
    description:
      "The token from the link works once. The password covers all of the person's workspaces, and every session there ends. An account with an unverified address becomes that of the person who opened the link: earlier passkeys, authenticator apps, and keys are removed. This call doesn't sign anyone in: two-step verification stays on and applies to the next sign-in. Passkeys keep working unless `removePasskeys` is true; the user is emailed about each removed one. The response has an `X-Device-Token`, which lets the sign-in work while others guess at the account.",
    answers: [
      { status: 204, description: 'The password is set' },
      {
        status: 200,
        description: 'The password is set; for a call with `removePasskeys`, with the number of passkeys',
        body: () => PasswordResetCompletionView,
      },
    ],
    errors: ['INVALID_PASSWORD_RESET', 'WEAK_PASSWORD', 'CONFLICT'],
  })
  async complete(
    @Body() input: PasswordResetCompletionInput,
    @CurrentOrigin() origin: RequestOrigin,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<PasswordResetCompletionView | undefined> {
    const { deviceToken, ...passkeys } = await this.resets.complete(input, origin);
    giveDeviceToken(reply, deviceToken);
    if (input.removePasskeys === undefined) return undefined;
    reply.status(200);
    return passkeys;
  }
}

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/email-change')
export class EmailChangeController {
  constructor(
    private readonly changes: EmailChangeService,
    private readonly undoing: EmailChangeUndoService,
  ) {}

  @Post()
  @NotRepeatable()
  @Access({ right: 'read', person: 'proof' })
  @Describe({
    summary: 'Request a change of your email address',
    description:
      "Send the password (a user without one re-authenticates first); with two-step verification on, call again with the emailed code. A link is sent to the new address. Once confirmed, it signs in to all of the person's workspaces. `EMAIL_NOT_VERIFIED` if the current address isn't verified. The response is the same if the address already has an account.",
    answers: [
      {
        status: 202,
        description: 'The email is on its way, or `mfaRequired` with the challenge for the code',
        body: () => ReauthenticationView,
      },
    ],
    errors: ['INVALID_CREDENTIALS', 'STEP_UP_REQUIRED', 'EMAIL_NOT_VERIFIED'],
  })
  async request(
    @CurrentPrincipal() principal: Principal,
    @Body() input: EmailChangeInput,
  ): Promise<ReauthenticationView> {
    return (await this.changes.request(principal, input)) ?? {};
  }

  @Post('confirm')
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Confirm a new email address',
    description:
      'The token from the link works once within 24 hours. The old address no longer signs in; it is notified and can undo the change for 7 days.',
    answers: [{ status: 204, description: 'The address is changed' }],
    errors: ['INVALID_EMAIL_CHANGE', 'EMAIL_TAKEN'],
  })
  async confirm(@Body() input: EmailChangeTokenInput, @CurrentOrigin() origin: RequestOrigin): Promise<void> {
    await this.changes.confirm(input.token, origin);
  }

  @Post('undo')
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Undo a change of email address',
    description:
      'The token from the link works once within 7 days of the change. The old address signs in again, every session ends, and the current password stops working; a link to set a new one is sent to the old address. Later changes are undone, too.',
    answers: [{ status: 204, description: 'The old address is restored' }],
    errors: ['INVALID_EMAIL_CHANGE', 'CONFLICT'],
  })
  async undo(@Body() input: EmailChangeTokenInput, @CurrentOrigin() origin: RequestOrigin): Promise<void> {
    await this.undoing.undo(input.token, origin);
  }
}
