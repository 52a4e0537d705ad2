import { useState } from 'react';
import type { CodeWanted, EnrolmentWanted, SignInAnswer, Tokens } from '../../api/account-api.js';
import { knownDevices } from '../../known-devices.js';
import { useSession } from '../../session.js';
import { CodeForm } from './code-form.js';
import { Enrolment } from './enrolment.js';
import { FirstFactor } from './first-factor.js';
import { RecoveryCodes } from './recovery-codes.js';

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
