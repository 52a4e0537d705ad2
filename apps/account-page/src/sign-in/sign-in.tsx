import { Button, Loading, useTexts } from '@crm/ui';
import { lazy, Suspense, useState } from 'react';
import {
  type AuthenticatorSetup,
  accountApi,
  type CodeWanted,
  type EnrolmentWanted,
  type SignInAnswer,
  type Tokens,
} from '../api/account-api.js';
import { knownDevices } from '../known-devices.js';
import { Form } from '../parts/form.js';
import { Page } from '../parts/page.js';
import { PAGE_TEXTS } from '../parts/parts.texts.js';
import { useSession } from '../session.js';
import { useAction } from '../use-action.js';
import { DigitsInput, RecoveryCodeInput, RecoveryCodes } from './code-inputs.js';
import { FirstFactor, PasskeyButton } from './first-factor.js';
import { SECOND_FACTOR_TEXTS } from './second-factor.texts.js';

/** Few sign-ins need it. */
const QrCode = lazy(() => import('./qr-code.js'));

interface EnrolmentProps {
  readonly token: string;
  readonly onEnrolled: (enrolled: Tokens & { readonly recoveryCodes: readonly string[] }) => void;
  readonly onRestart: () => void;
}

/** The authenticator that a workspace demands, set up within the sign-in. */
function Enrolment({ token, onEnrolled, onRestart }: EnrolmentProps) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  const { working } = useTexts(PAGE_TEXTS);
  const [setup, setSetup] = useState<AuthenticatorSetup>();
  const [code, setCode] = useState('');
  const start = useAction(async () => setSetup(await accountApi.startEnrolment(token)));
  const confirm = useAction(async () => onEnrolled(await accountApi.confirmEnrolment(token, code.replaceAll(' ', ''))));
  const again = (
    <Button look="link" onClick={onRestart}>
      {texts.again}
    </Button>
  );

  if (!setup) {
    return (
      <Page title={texts.enrolTitle}>
        <p>{texts.enrolText}</p>
        <Form action={start} submit={texts.enrolStart} words={texts.enrolProblems} />
        {start.problem ? again : null}
      </Page>
    );
  }
  return (
    <Page title={texts.enrolTitle}>
      <p>{texts.scanText}</p>
      <Suspense fallback={<Loading label={working} />}>
        <QrCode text={setup.otpauthUri} label={texts.qrLabel} />
      </Suspense>
      <p className="muted">
        {texts.secretText} <code>{setup.secret}</code>
      </p>
      <Form action={confirm} submit={texts.confirm} words={texts.enrolProblems}>
        <DigitsInput value={code} onChange={setCode} />
      </Form>
      {confirm.problem ? again : null}
    </Page>
  );
}

interface CodeFormProps {
  readonly wanted: CodeWanted;
  readonly onAnswer: (answer: SignInAnswer) => void;
  readonly onRestart: () => void;
}

/** The second factor: the code of a mail or of an app, a recovery code in its place, or a passkey, which is both factors. */
function CodeForm({ wanted: { challengeId, methods }, onAnswer, onRestart }: CodeFormProps) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  const [code, setCode] = useState('');
  const [isRecovery, setIsRecovery] = useState(false);
  const action = useAction(async () => onAnswer(await accountApi.verifyCode(challengeId, code.replaceAll(' ', ''))));
  const change = (recovery: boolean): void => {
    setIsRecovery(recovery);
    setCode('');
  };
  const text = methods.includes('mail') ? texts.mailText : texts.appText;
  const takesCode = methods.includes('mail') || methods.includes('authenticator');

  return (
    <Page title={takesCode ? texts.title : texts.passkeyTitle}>
      {takesCode ? (
        <>
          <p>{isRecovery ? texts.recoveryText : text}</p>
          <Form action={action} submit={texts.submit} words={texts.problems}>
            {isRecovery ? (
              <RecoveryCodeInput value={code} onChange={setCode} />
            ) : (
              <DigitsInput value={code} onChange={setCode} />
            )}
          </Form>
        </>
      ) : null}
      {methods.includes('recovery_code') ? (
        <Button look="link" onClick={() => change(!isRecovery)}>
          {isRecovery ? texts.useApp : texts.useRecovery}
        </Button>
      ) : null}
      <Button look="link" onClick={onRestart}>
        {texts.again}
      </Button>
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
}

/** A step after the first factor. */
type Step = CodeWanted | EnrolmentWanted | (Tokens & { readonly recoveryCodes: readonly string[] });

/** From the first factor to a session, whichever steps that takes. */
export function SignIn({ title, lead, answer }: SignInProps) {
  const { begin } = useSession();
  const [step, setStep] = useState<Step | undefined>(answer);
  const [account, setAccount] = useState<string>();
  const complete = (tokens: Tokens, email = account): void => {
    begin(tokens);
    if (email !== undefined) knownDevices(window).keep(email, tokens.deviceToken).catch(reportError);
  };
  const advance = (next: SignInAnswer, email = account): void => {
    setAccount(email);
    if ('accessToken' in next) complete(next, email);
    else setStep(next);
  };
  const restart = (): void => setStep(undefined);

  if (step === undefined) return <FirstFactor title={title} lead={lead} onAnswer={advance} />;
  if ('recoveryCodes' in step) return <RecoveryCodes codes={step.recoveryCodes} onKept={() => complete(step)} />;
  if ('mfaRequired' in step) return <CodeForm wanted={step} onAnswer={advance} onRestart={restart} />;
  return <Enrolment token={step.enrolmentToken} onEnrolled={setStep} onRestart={restart} />;
}
