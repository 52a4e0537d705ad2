import { Form, Page, useTexts } from '@crm/ui';
import { Anchor, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { SignedIn } from '../../session/session.js';
import { useSession } from '../../session/session-context.js';
import { AuthenticatorForm, CodeForm, RecoveryCodes } from './code-inputs.js';
import { FirstFactor, PasskeySignIn } from './first-factor.js';
import { knownDevices } from './known-devices.js';
import { SECOND_FACTOR_TEXTS } from './second-factor.texts.js';
import { type SignInAnswer, signInApi } from './sign-in.api.js';

interface StepProps {
  /** What the step before has answered. */
  readonly step: SignInAnswer;
  readonly onAnswer: (answer: SignInAnswer) => Promise<void>;
  readonly onRestart: () => void;
}

const Restart = ({ onRestart }: Pick<StepProps, 'onRestart'>) => (
  <Anchor component="button" type="button" onClick={onRestart}>
    {useTexts(SECOND_FACTOR_TEXTS).again}
  </Anchor>
);

/** The authenticator that a workspace demands, set up within the sign-in. */
function Enrolment({ step: { enrolmentToken = '' }, onAnswer, onRestart }: StepProps) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  const start = useMutation({ mutationFn: () => signInApi.startEnrolment(enrolmentToken) });
  return (
    <Page title={texts.enrolTitle}>
      {start.data ? (
        <AuthenticatorForm
          setup={start.data}
          words={texts.enrolProblems}
          onCode={async (code) => onAnswer(await signInApi.confirmEnrolment(enrolmentToken, code))}
        />
      ) : (
        <>
          <Text>{texts.enrolText}</Text>
          <Form action={start} submit={texts.enrolStart} words={texts.enrolProblems} />
        </>
      )}
      <Restart onRestart={onRestart} />
    </Page>
  );
}

/** The second factor: the code of a mail or of an app, a recovery code in its place, or a passkey, which is both factors. */
function SecondFactor({ step: { challengeId = '', methods = [] }, onAnswer, onRestart }: StepProps) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  const takesCode = methods.includes('mail') || methods.includes('authenticator');
  return (
    <Page title={takesCode ? texts.title : texts.passkeyTitle}>
      {takesCode ? (
        <CodeForm
          text={methods.includes('mail') ? texts.mailText : texts.appText}
          takesRecovery={methods.includes('recovery_code')}
          words={{ INVALID_CREDENTIALS: `${texts.problems.INVALID_CREDENTIALS} ${texts.beginAgain}` }}
          onCode={async (code) => onAnswer(await signInApi.verifyCode(challengeId, code))}
        />
      ) : null}
      <Restart onRestart={onRestart} />
      {methods.includes('passkey') ? <PasskeySignIn onAnswer={onAnswer} isOnlyWay={!takesCode} /> : null}
    </Page>
  );
}

export interface SignInProps {
  /** What the sign-in is for. */
  readonly title?: string;
  readonly lead?: string;
  /** What a sign-in elsewhere has answered already. */
  readonly answer?: SignInAnswer;
  /** True when what leads elsewhere, such as an identity provider, opens another window. */
  readonly staysOpen?: boolean;
  readonly onDone?: () => void;
}

/** From the first factor to a session, whichever steps that takes. */
export function SignIn({ title, lead, answer, staysOpen, onDone }: SignInProps) {
  const session = useSession();
  const [step, setStep] = useState(answer);
  const [account, setAccount] = useState<string>();
  const complete = async (done: SignInAnswer, email = account): Promise<void> => {
    if (email !== undefined) await knownDevices(window).keep(email, done.deviceToken);
    await session.begin(done as SignedIn);
    onDone?.();
  };
  const keepCodes = useMutation({ mutationFn: (done: SignInAnswer) => complete(done) });
  const advance = async (next: SignInAnswer, email = account): Promise<void> => {
    setAccount(email);
    if (next.accessToken !== undefined && !next.recoveryCodes) await complete(next, email);
    else setStep(next);
  };
  if (step === undefined) {
    return <FirstFactor title={title} lead={lead} staysOpen={staysOpen} onAnswer={advance} />;
  }
  if (step.recoveryCodes) return <RecoveryCodes codes={step.recoveryCodes} onKept={() => keepCodes.mutate(step)} />;
  const Step = step.challengeId === undefined ? Enrolment : SecondFactor;
  return <Step step={step} onAnswer={advance} onRestart={() => setStep(undefined)} />;
}
