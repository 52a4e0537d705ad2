import { LoadingLines, useTexts } from '@crm/ui';
import { Anchor, Text } from '@mantine/core';
import { useInputState } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useSession } from '../../session/session-context.js';
import { DigitsInput, OtherCode, RecoveryCodeInput, RecoveryCodes } from './code-inputs.js';
import { FirstFactor, PasskeyButton } from './first-factor.js';
import { knownDevices } from './known-devices.js';
import { Form } from './parts/form.js';
import { Page } from './parts/page.js';
import { PAGE_TEXTS } from './parts/parts.texts.js';
import { SECOND_FACTOR_TEXTS } from './second-factor.texts.js';
import {
  type AuthenticatorSetup,
  type CodeWanted,
  type EnrolmentWanted,
  type SignInAnswer,
  signInApi,
  type Tokens,
} from './sign-in.api.js';

/** Few sign-ins need it. */
const QrCode = lazy(() => import('./qr-code.js'));

export interface AuthenticatorSetUpProps {
  readonly setup: AuthenticatorSetup;
}

/** What an authenticator app is set up with. */
export function AuthenticatorSetUp({ setup }: AuthenticatorSetUpProps) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  const { working } = useTexts(PAGE_TEXTS);
  return (
    <>
      <Text>{texts.scanText}</Text>
      <Suspense fallback={<LoadingLines label={working} />}>
        <QrCode text={setup.otpauthUri} label={texts.qrLabel} />
      </Suspense>
      <Text c="dimmed" className="whole">
        {texts.secretText} <code>{setup.secret}</code>
      </Text>
    </>
  );
}

const Restart = ({ onRestart }: { readonly onRestart: () => void }) => (
  <Anchor component="button" type="button" onClick={onRestart}>
    {useTexts(SECOND_FACTOR_TEXTS).again}
  </Anchor>
);

interface EnrolmentProps {
  readonly token: string;
  readonly onEnrolled: (enrolled: Tokens & { readonly recoveryCodes: readonly string[] }) => void;
  readonly onRestart: () => void;
}

/** The authenticator that a workspace demands, set up within the sign-in. */
function Enrolment({ token, onEnrolled, onRestart }: EnrolmentProps) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  const [code, setCode] = useInputState('');
  const start = useMutation({ mutationFn: () => signInApi.startEnrolment(token) });
  const confirm = useMutation({
    mutationFn: () => signInApi.confirmEnrolment(token, code.replaceAll(' ', '')),
    onSuccess: onEnrolled,
  });

  if (!start.data) {
    return (
      <Page title={texts.enrolTitle}>
        <Text>{texts.enrolText}</Text>
        <Form action={start} submit={texts.enrolStart} words={texts.enrolProblems} />
        {start.error ? <Restart onRestart={onRestart} /> : null}
      </Page>
    );
  }
  return (
    <Page title={texts.enrolTitle}>
      <AuthenticatorSetUp setup={start.data} />
      <Form action={confirm} submit={texts.confirm} words={texts.enrolProblems}>
        <DigitsInput value={code} onChange={setCode} />
      </Form>
      {confirm.error ? <Restart onRestart={onRestart} /> : null}
    </Page>
  );
}

interface CodeFormProps {
  readonly wanted: CodeWanted;
  readonly onAnswer: (answer: SignInAnswer) => Promise<void>;
  readonly onRestart: () => void;
}

/** The second factor: the code of a mail or of an app, a recovery code in its place, or a passkey, which is both factors. */
function CodeForm({ wanted: { challengeId, methods }, onAnswer, onRestart }: CodeFormProps) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  const [code, setCode] = useInputState('');
  const [isRecovery, setIsRecovery] = useState(false);
  const action = useMutation({
    mutationFn: async () => onAnswer(await signInApi.verifyCode(challengeId, code.replaceAll(' ', ''))),
  });
  const takesCode = methods.includes('mail') || methods.includes('authenticator');
  const text = methods.includes('mail') ? texts.mailText : texts.appText;
  const Input = isRecovery ? RecoveryCodeInput : DigitsInput;

  return (
    <Page title={takesCode ? texts.title : texts.passkeyTitle}>
      {takesCode ? (
        <>
          <Text>{isRecovery ? texts.recoveryText : text}</Text>
          <Form action={action} submit={texts.submit} words={texts.problems}>
            <Input value={code} onChange={setCode} />
          </Form>
        </>
      ) : null}
      {methods.includes('recovery_code') ? (
        <OtherCode
          isRecovery={isRecovery}
          onChange={(next) => {
            setIsRecovery(next);
            setCode('');
          }}
        />
      ) : null}
      <Restart onRestart={onRestart} />
      {methods.includes('passkey') ? <PasskeyButton onAnswer={onAnswer} isOnlyWay={!takesCode} /> : null}
    </Page>
  );
}

export interface SignInProps {
  /** What the sign-in is for. */
  readonly title?: string;
  readonly lead?: string;
  /** What a sign-in elsewhere has answered already. */
  readonly answer?: CodeWanted | EnrolmentWanted;
  readonly onDone?: () => void;
}

/** A step after the first factor. */
type Step = CodeWanted | EnrolmentWanted | (Tokens & { readonly recoveryCodes: readonly string[] });

/** From the first factor to a session, whichever steps that takes. */
export function SignIn({ title, lead, answer, onDone }: SignInProps) {
  const session = useSession();
  const [step, setStep] = useState<Step | undefined>(answer);
  const [account, setAccount] = useState<string>();
  const complete = async (tokens: Tokens, email = account): Promise<void> => {
    if (email !== undefined) await knownDevices(window).keep(email, tokens.deviceToken);
    await session.begin(tokens);
    onDone?.();
  };
  const keepCodes = useMutation({ mutationFn: (tokens: Tokens) => complete(tokens) });
  const advance = async (next: SignInAnswer, email = account): Promise<void> => {
    setAccount(email);
    if ('accessToken' in next) await complete(next, email);
    else setStep(next);
  };
  const restart = (): void => setStep(undefined);

  if (step === undefined) return <FirstFactor title={title} lead={lead} onAnswer={advance} />;
  if ('recoveryCodes' in step)
    return <RecoveryCodes codes={step.recoveryCodes} onKept={() => keepCodes.mutate(step)} />;
  if ('mfaRequired' in step) return <CodeForm wanted={step} onAnswer={advance} onRestart={restart} />;
  return <Enrolment token={step.enrolmentToken} onEnrolled={setStep} onRestart={restart} />;
}
