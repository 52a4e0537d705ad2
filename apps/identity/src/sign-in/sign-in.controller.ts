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
      summary: 'Completes a sign-in with a code',
      description: `${codes} A challenge is valid for ten minutes and five attempts; after five wrong codes of an account each further one doubles the wait.`,
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
      summary: 'Sets up the authenticator that a sign-in demands',
      description: `${enrolment}The enrolment token can do nothing else.`,
      answers: [{ status: 200, description: 'What the app is set up with, this once', body: () => AuthenticatorView }],
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
      summary: 'Completes a sign-in with the first code of a new authenticator',
      description: 'The answer contains the tokens and, this once, ten recovery codes.',
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
  codes: 'The code from the e-mail, a code of the authenticator or a recovery code.',
  enrolment: 'For a workspace that requires a second factor. ',
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
    summary: 'Signs in with e-mail and password',
    description:
      'A person signs in to the workspace that they have used last, or to the one that `workspace` names; where they are disabled in the former, or it is suspended or requires single sign-on of them, to another of theirs. The password of an account whose address was not proven signs in to its own workspace. If the account has a second factor, the answer contains a challenge instead of tokens: it is completed with a code of the authenticator or, without one, with a six-digit code that is sent by e-mail. If the workspace requires a second factor and the account has none, the answer contains a token with which an authenticator is set up. Failed attempts are limited by account and address, by address, and by account from whatever addresses (`RATE_LIMITED` with `Retry-After`, for addresses without an account too); a device that presents the `X-Device-Token` of an earlier answer has an allowance of its own. In production a password that an administrator chose is accepted only together with a `newPassword`, which takes its place.',
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
    summary: 'Proves again who uses the session',
    description:
      'Calls that are refused with `STEP_UP_REQUIRED` are accepted for the next ten minutes. Whoever has an authenticator gives a code of it or a recovery code. Whose second factor is a code by e-mail gives the password, which sends one, and then the password, `challengeId` and `code`. Everybody else gives the password. Passkeys and identity providers have calls of their own; `proofs` of a refusal names what the account can prove itself with. A sign-in counts as a proof too.',
    answers: [
      { status: 204, description: 'The proof is noted' },
      { status: 200, description: 'A code was sent by e-mail; nothing is noted yet', body: () => ReauthenticationView },
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
    summary: 'Returns what the workspace demands of sign-ins',
    description: 'Whether a second factor is optional or required.',
    answers: [{ status: 200, description: 'The policy', body: () => SignInPolicyView }],
  })
  async get(@CurrentPrincipal() principal: Principal): Promise<SignInPolicyView> {
    return { secondFactor: await this.database.transaction(principal.tenantId, (tx) => this.policies.get(tx)) };
  }

  @Put()
  @Access({ right: 'own', proof: true })
  @Describe({
    summary: 'Sets what the workspace demands of sign-ins',
    description:
      'With `required`, a user without a second factor sets up an authenticator at their next sign-in before they get tokens; open sessions go on.',
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
