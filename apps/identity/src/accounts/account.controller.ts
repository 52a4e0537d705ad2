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
    summary: 'Registers a workspace and its owner',
    description:
      'The caller becomes the owner and can sign in at once. The address has to be verified with the link in a mail, within seven days: until then `tenant.verified` is false, and the workspace can try things out but neither add users, mint for new host users nor submit apps (`EMAIL_NOT_VERIFIED`). Registrations never tell whether the address has an account; its owner learns by mail. In the development profile registrations from loopback count as verified, and plans other than `developer`, which operators set elsewhere, are accepted.',
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
    summary: 'Verifies the address that the workspace was registered with',
    description:
      'The token comes from the link in any mail to the address that is not older than 24 hours; the session says who verifies. Whoever verifies an address first has it: the links of other registrations with it end. Of a person who has it already, the workspace becomes one more, which they enter with the password that they had. `CONFLICT` when nothing waits to be verified.',
    answers: [{ status: 204, description: 'The address is verified' }],
    errors: ['INVALID_VERIFICATION', 'CONFLICT'],
  })
  async verify(@CurrentPrincipal() principal: Principal, @Body() { token }: VerificationInput): Promise<void> {
    await this.verifications.verify(principal, token);
  }

  @Post('resend')
  @NotRepeatable()
  @Describe({
    summary: 'Sends the mail that verifies the address again',
    description:
      'The link in the previous mail stops working. At most five times per hour. `CONFLICT` when nothing waits to be verified.',
    answers: [{ status: 204, description: 'The mail is queued' }],
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
    summary: 'Changes the password of the current user',
    description:
      'It is the one of all workspaces of a person. Takes the present password and, with the second factor on, a second call with the code that the first one has sent. The session of the call stays; all others end, in every workspace, and so do the `X-Device-Token`s of the user; the answer has a new one for this device. The user is told by e-mail.',
    answers: [
      {
        status: 200,
        description: 'The password is changed, or `mfaRequired` and the challenge to answer with the code',
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
    summary: 'Asks for a link to set a new password',
    description:
      'The answer is the same whether the address has an account or not. The link is sent by e-mail and valid for 30 minutes; at most five are sent to an address in 15 minutes. An address that nobody has verified gets a link for each workspace that has added it.',
    answers: [
      {
        status: 202,
        description: 'If the address has an account, the mail is on its way',
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
    summary: 'Sets a new password with the link from the mail',
    description:
      'The token from the link works once. The password is the one of all workspaces of the person, and every session ends there. An account whose address was not verified becomes that of whoever opened the link: passkeys, authenticator and keys that were set up before are gone. Nobody is signed in by this: the second factor stays on and is asked for at the next sign-in. Passkeys keep working unless `removePasskeys` is true; the user is told of each removed one by mail. The answer has an `X-Device-Token`, with which the sign-in works while others guess at the account.',
    answers: [
      { status: 204, description: 'The new password is valid' },
      {
        status: 200,
        description: 'The same, for a call that has `removePasskeys`, with the number of passkeys',
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
    summary: 'Asks for another e-mail address of the current user',
    description:
      'Takes the password, of a user who has none a recent proof, and, with the second factor on, a second call with the code that the first one has sent. A link is sent to the new address, which signs in once it is confirmed, in every workspace of the person. `EMAIL_NOT_VERIFIED` for a user who has not proven their present address. The answer is the same when the address has an account already.',
    answers: [
      {
        status: 202,
        description: 'The mail is on its way, or `mfaRequired` and the challenge to answer with the code',
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
    summary: 'Confirms a new e-mail address with the link from the mail',
    description:
      'The token from the link works once and for 24 hours. The old address no longer signs in; it is told, and can undo the change for seven days.',
    answers: [{ status: 204, description: 'The new address signs in' }],
    errors: ['INVALID_EMAIL_CHANGE', 'EMAIL_TAKEN'],
  })
  async confirm(@Body() input: EmailChangeTokenInput, @CurrentOrigin() origin: RequestOrigin): Promise<void> {
    await this.changes.confirm(input.token, origin);
  }

  @Post('undo')
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Undoes a change of an e-mail address with the link from the mail to the old address',
    description:
      'The token from the link works once and for seven days after the change. The old address signs in again, every session ends and the present password becomes invalid; a link to set a new one is sent to the old address. Later changes are undone too.',
    answers: [{ status: 204, description: 'The old address is back' }],
    errors: ['INVALID_EMAIL_CHANGE', 'CONFLICT'],
  })
  async undo(@Body() input: EmailChangeTokenInput, @CurrentOrigin() origin: RequestOrigin): Promise<void> {
    await this.undoing.undo(input.token, origin);
  }
}
