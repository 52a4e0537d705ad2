import {
  Access,
  ApplicationStrategy,
  type CredentialRequest,
  CurrentPrincipal,
  type Principal,
  Proven,
  Public,
  StrategyGuard,
} from '@crm/access';
import type { ErrorCode, TokenPair } from '@crm/contracts';
import { Database } from '@crm/database';
import { ApiGroup, BodyLimit, bodyOf, DEFAULT_BODY_LIMIT, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, Get, Injectable, Post, Put, Res, UseGuards } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { TokenPairView } from '../sessions/session.dto.js';
import {
  DEVICE_TOKEN_DESCRIPTION,
  DEVICE_TOKEN_HEADER,
  giveDeviceToken,
  type HeaderReply,
  type SignInOutcome,
} from './device-tokens.js';
import { SignInPolicyRepository } from './factor.repository.js';
import { UserInitialPasswords } from './initial-password.js';
import type { Enrolled, SignInAnswer } from './mfa.service.js';
import {
  AuthenticatorView,
  CodeInput,
  EnrolledView,
  EnrolmentCodeInput,
  EnrolmentInput,
  ReauthenticationView,
  SignInInput,
  SignInPolicyInput,
  SignInPolicyView,
  SignInView,
  UserStepUpInput,
} from './sign-in.dto.js';
import { type AuthenticatedUser, SignInService } from './sign-in.service.js';
import { StepUpService } from './step-up.service.js';

/** What completes a sign-in that the first proof has begun. */
interface SecondFactorSignIn {
  verifyCode(challengeId: string, code: string, origin: RequestOrigin): Promise<SignInOutcome>;
  startEnrolment(token: string): Promise<AuthenticatorView>;
  confirmEnrolment(token: string, code: string, origin: RequestOrigin): Promise<SignInOutcome<Enrolled>>;
}

interface SecondFactorTexts {
  /** What is taken for a code, as a sentence. */
  readonly codes: string;
  /** Which sign-ins demand an enrolment, as a sentence. */
  readonly enrolment?: string;
  readonly errors?: readonly ErrorCode[];
  /** Bytes. */
  readonly bodyLimit?: number;
}

/** Routes that complete a sign-in with a second factor: those of users and of operators differ in their address only. */
export function secondFactorRoutes(texts: SecondFactorTexts) {
  const { codes, enrolment = '', errors = [], bodyLimit = DEFAULT_BODY_LIMIT } = texts;

  abstract class SecondFactorRoutes {
    abstract readonly signIns: SecondFactorSignIn;

    @Post('mfa/verify')
    @NotRepeatable()
    @BodyLimit(bodyLimit)
    @Public()
    @Describe({
      summary: 'Complete a sign-in with a code',
      description: `${codes} A challenge is valid for 10 minutes and 5 attempts. After 5 wrong codes for an account, each further one doubles the wait.`,
      answers: [{ status: 200, description: 'The tokens', body: () => TokenPairView }],
      errors: ['INVALID_CREDENTIALS', ...errors, 'RATE_LIMITED'],
    })
    async verifyCode(
      @Body() input: CodeInput,
      @CurrentOrigin() origin: RequestOrigin,
      @Res({ passthrough: true }) reply: HeaderReply,
    ): Promise<TokenPair> {
      const { answer, deviceToken } = await this.signIns.verifyCode(input.challengeId, input.code, origin);
      giveDeviceToken(reply, deviceToken);
      return answer;
    }

    @Post('mfa/enrolment')
    @NotRepeatable()
    @BodyLimit(bodyLimit)
    @Public()
    @Describe({
      summary: 'Set up an authenticator app during sign-in',
      description: `${enrolment}The enrolment token has no other use.`,
      answers: [{ status: 200, description: 'The setup data, shown once', body: () => AuthenticatorView }],
      errors: ['INVALID_CREDENTIALS', 'CONFLICT'],
    })
    async startEnrolment(@Body() { enrolmentToken }: EnrolmentInput): Promise<AuthenticatorView> {
      return this.signIns.startEnrolment(enrolmentToken);
    }

    @Post('mfa/enrolment/confirm')
    @NotRepeatable()
    @BodyLimit(bodyLimit)
    @Public()
    @Describe({
      summary: 'Complete a sign-in with the first code of a new authenticator app',
      description: 'The response contains the tokens and 10 recovery codes, which are shown once.',
      answers: [{ status: 200, description: 'The tokens and the recovery codes', body: () => EnrolledView }],
      errors: ['INVALID_CREDENTIALS', 'CONFLICT'],
    })
    async confirmEnrolment(
      @Body() { enrolmentToken, code }: EnrolmentCodeInput,
      @CurrentOrigin() origin: RequestOrigin,
      @Res({ passthrough: true }) reply: HeaderReply,
    ): Promise<EnrolledView> {
      const { answer, deviceToken } = await this.signIns.confirmEnrolment(enrolmentToken, code, origin);
      giveDeviceToken(reply, deviceToken);
      return answer;
    }
  }
  return SecondFactorRoutes;
}

/** Why a right password does not sign in. */
export const ADMISSION: readonly ErrorCode[] = ['SINGLE_SIGN_ON_REQUIRED', 'WORKSPACE_SUSPENDED', 'RATE_LIMITED'];

@Injectable()
export class PasswordStrategy extends ApplicationStrategy<AuthenticatedUser> {
  constructor(
    private readonly signIns: SignInService,
    private readonly initialPasswords: UserInitialPasswords,
  ) {
    super();
  }

  /** @throws PlatformError VALIDATION_FAILED, WEAK_PASSWORD, INVALID_CREDENTIALS, RATE_LIMITED */
  override async validate({ body, ip, headers, callContext }: CredentialRequest): Promise<AuthenticatedUser> {
    const input = await bodyOf(SignInInput, body);
    const { requestId, traceparent } = callContext ?? {};
    const origin = { address: ip, userAgent: headers['user-agent'] ?? null, requestId, traceparent };
    const user = await this.signIns.authenticate(input, origin, headers[DEVICE_TOKEN_HEADER]);
    return this.initialPasswords.replace(user, input, origin.address);
  }
}

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth')
export class SignInController extends secondFactorRoutes({
  codes: 'The code from the email, a code from the authenticator app, or a recovery code.',
  enrolment: 'For a workspace that requires two-step verification. ',
  errors: ['WORKSPACE_SUSPENDED'],
}) {
  constructor(override readonly signIns: SignInService) {
    super();
  }

  @Post('login')
  @UseGuards(StrategyGuard(PasswordStrategy))
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Sign in with email and password',
    description:
      "Signs in to the workspace named in `workspace`, or to the last one used. If that one isn't available, another of the person's workspaces is used. An account with an unverified address signs in to its own workspace only. If the account has two-step verification, the response contains a challenge instead of tokens; complete it with a code from the authenticator app or, without one, with a six-digit code sent by email. If the workspace requires two-step verification and the account has none, the response contains a token to set up an authenticator app. Failed attempts are limited by account and address, by address, and by account (`RATE_LIMITED` with `Retry-After`, also for unknown addresses); a device that presents the `X-Device-Token` of an earlier response has its own limit. In production, a password chosen by an admin is accepted only together with a `newPassword`, which replaces it.",
    headers: [DEVICE_TOKEN_DESCRIPTION],
    body: { dto: () => SignInInput },
    answers: [{ status: 200, description: 'The tokens, or what the sign-in still needs', body: () => SignInView }],
    errors: ['INVALID_CREDENTIALS', 'WEAK_PASSWORD', 'SINGLE_SIGN_ON_REQUIRED', 'WORKSPACE_SUSPENDED', 'RATE_LIMITED'],
  })
  async signIn(
    @Proven() user: AuthenticatedUser,
    @CurrentOrigin() origin: RequestOrigin,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<SignInAnswer> {
    const { answer, deviceToken } = await this.signIns.admit(user, origin);
    giveDeviceToken(reply, deviceToken);
    return answer;
  }
}

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/step-up')
export class StepUpController {
  constructor(private readonly stepUps: StepUpService) {}

  @Post()
  @NotRepeatable()
  @Access({ right: 'read' })
  @Describe({
    summary: 'Re-authenticate the current session',
    description:
      'Calls rejected with `STEP_UP_REQUIRED` are accepted for the next 10 minutes. With an authenticator app, send `code` (an app code or a recovery code). With email codes, send `password` first; we email a code, then send `password`, `challengeId`, and `code`. Otherwise, send `password`. Passkeys and identity providers have their own calls; `proofs` in the error lists what the account can use. A sign-in counts, too.',
    answers: [
      { status: 204, description: 'The session is re-authenticated' },
      {
        status: 200,
        description: "A code was sent by email; the session isn't re-authenticated yet",
        body: () => ReauthenticationView,
      },
    ],
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED'],
  })
  async prove(
    @CurrentPrincipal() principal: Principal,
    @Body() proof: UserStepUpInput,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<ReauthenticationView | undefined> {
    const needed = await this.stepUps.proveUser(principal, proof);
    if (needed) reply.status(200);
    return needed;
  }
}

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/tenant/sign-in-policy')
export class SignInPolicyController {
  constructor(
    private readonly database: Database,
    private readonly policies: SignInPolicyRepository,
    private readonly trail: AuditTrail,
  ) {}

  @Get()
  @Access({ right: 'read' })
  @Describe({
    summary: 'Get the sign-in policy',
    description: 'Whether two-step verification is optional or required.',
    answers: [{ status: 200, description: 'The policy', body: () => SignInPolicyView }],
  })
  async get(@CurrentPrincipal() principal: Principal): Promise<SignInPolicyView> {
    return { secondFactor: await this.database.transaction(principal.tenantId, (tx) => this.policies.get(tx)) };
  }

  @Put()
  @Access({ right: 'own', proof: true })
  @Describe({
    summary: 'Set the sign-in policy',
    description:
      'With `required`, users without two-step verification set up an authenticator app at their next sign-in before they get tokens. Open sessions stay.',
    answers: [{ status: 200, description: 'The policy', body: () => SignInPolicyView }],
  })
  async set(@CurrentPrincipal() principal: Principal, @Body() input: SignInPolicyInput): Promise<SignInPolicyView> {
    await this.database.transaction(principal, async (tx) => {
      await this.policies.set(tx, input.secondFactor);
      this.trail.record(tx, {
        action: 'workspace.sign_in_policy_changed',
        subject: { kind: 'workspace', id: tx.tenantId },
        detail: { secondFactor: input.secondFactor },
      });
    });
    return { secondFactor: input.secondFactor };
  }
}
