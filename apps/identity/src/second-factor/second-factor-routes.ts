import { Public } from '@crm/access';
import type { ErrorCode, TokenPair } from '@crm/contracts';
import { BodyLimit, DEFAULT_BODY_LIMIT, Describe, NotRepeatable } from '@crm/http';
import { Body, Post, Res } from '@nestjs/common';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { giveDeviceToken, type HeaderReply, type SignInOutcome } from '../guesses/device-tokens.js';
import { TokenPairView } from '../sessions/session.dto.js';
import type { Enrolled } from './mfa-request.service.js';
import { AuthenticatorView, CodeInput, EnrolledView, EnrolmentCodeInput, EnrolmentInput } from './second-factor.dto.js';

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
