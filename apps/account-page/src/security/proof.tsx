import { ApiProblem } from '@crm/api-client';
import { Button, catalogue, Loading, useTexts } from '@crm/ui';
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react';
import { securityApi } from '../api/security-api.js';
import { Dialog } from '../parts/dialog.js';
import { Form, TextInput } from '../parts/form.js';
import { PAGE_TEXTS } from '../parts/parts.texts.js';
import { ProblemText } from '../parts/problem-text.js';
import { useLoaded, useSession } from '../session.js';
import { DigitsInput, RecoveryCodeInput } from '../sign-in/code-inputs.js';
import { askForPasskey, knowsPasskeys } from '../sign-in/passkey.js';
import { SECOND_FACTOR_TEXTS } from '../sign-in/second-factor.texts.js';
import { SIGN_IN_TEXTS } from '../sign-in/sign-in.texts.js';
import { useAction } from '../use-action.js';

const PROOF_TEXTS = catalogue({
  en: {
    title: 'Prove that it is you',
    text: 'Whoever changes this could take over your account, so you are asked again. It counts for some minutes.',
    passkey: 'Use a passkey',
    noPasskeyUsed: 'No passkey was used. Try again, or choose another way.',
    signInAgain: 'Sign in again instead',
    passkeyProblems: { INVALID_CREDENTIALS: 'This passkey is not one of your account.' },
    codeProblems: {
      INVALID_CREDENTIALS: 'This code is wrong, was used, or comes too late.',
      VALIDATION_FAILED: 'This is not what a code looks like.',
    },
    passwordProblems: {
      INVALID_CREDENTIALS: 'The password is wrong. If your account has none, sign in again instead.',
    },
  },
  de: {
    title: 'Bestätigen, dass Sie es sind',
    text: 'Wer dies ändert, könnte Ihr Konto übernehmen. Deshalb werden Sie noch einmal gefragt. Es gilt einige Minuten lang.',
    passkey: 'Passkey verwenden',
    noPasskeyUsed: 'Es wurde kein Passkey verwendet. Versuchen Sie es erneut, oder wählen Sie einen anderen Weg.',
    signInAgain: 'Stattdessen erneut anmelden',
    passkeyProblems: { INVALID_CREDENTIALS: 'Dieser Passkey gehört nicht zu Ihrem Konto.' },
    codeProblems: {
      INVALID_CREDENTIALS: 'Dieser Code ist falsch, wurde schon verwendet oder kommt zu spät.',
      VALIDATION_FAILED: 'So sieht kein Code aus.',
    },
    passwordProblems: {
      INVALID_CREDENTIALS: 'Das Passwort ist falsch. Wenn Ihr Konto keines hat, melden Sie sich stattdessen erneut an.',
    },
  },
});

const ways = async (token: string) => {
  const [factor, { data }] = await Promise.all([securityApi.secondFactor(token), securityApi.passkeys(token)]);
  return { hasAuthenticator: factor.authenticator, hasPasskey: data.length > 0 };
};

export interface ProofDialogProps {
  /** @param isProven false when it was closed */
  readonly onAnswer: (isProven: boolean) => void;
}

/** Asks for what proves who uses the session: a passkey, a code of the authenticator, or the password. */
export function ProofDialog({ onAnswer }: ProofDialogProps) {
  const texts = useTexts(PROOF_TEXTS);
  const { cancel, working } = useTexts(PAGE_TEXTS);
  const { end } = useSession();
  const { value, problem } = useLoaded(ways);
  const onProven = (): void => onAnswer(true);
  return (
    <Dialog title={texts.title} onClose={() => onAnswer(false)}>
      <p>{texts.text}</p>
      {problem ? <ProblemText problem={problem} /> : null}
      {value ? null : problem ? null : <Loading label={working} lines={3} />}
      {value?.hasPasskey && knowsPasskeys() ? <PasskeyProof onProven={onProven} /> : null}
      {value ? (
        value.hasAuthenticator ? (
          <CodeProof onProven={onProven} />
        ) : (
          <PasswordProof onProven={onProven} />
        )
      ) : null}
      <Button look="link" onClick={end}>
        {texts.signInAgain}
      </Button>
      <Button onClick={() => onAnswer(false)}>{cancel}</Button>
    </Dialog>
  );
}

interface WayProps {
  readonly onProven: () => void;
}

function PasskeyProof({ onProven }: WayProps) {
  const texts = useTexts(PROOF_TEXTS);
  const { or } = useTexts(SIGN_IN_TEXTS);
  const { call } = useSession();
  const [isUnused, setIsUnused] = useState(false);
  const action = useAction(async () => {
    setIsUnused(false);
    const answer = await askForPasskey(await call(securityApi.provingPasskeyOptions));
    if (!answer) {
      setIsUnused(true);
      return;
    }
    await call((token) => securityApi.proveWithPasskey(token, answer));
    onProven();
  });
  return (
    <div className="stack">
      <Button onClick={action.run} aria-busy={action.isBusy}>
        {texts.passkey}
      </Button>
      {action.problem ? <ProblemText problem={action.problem} words={texts.passkeyProblems} /> : null}
      {isUnused ? <p role="status">{texts.noPasskeyUsed}</p> : null}
      <p className="or">{or}</p>
    </div>
  );
}

function CodeProof({ onProven }: WayProps) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  const { codeProblems } = useTexts(PROOF_TEXTS);
  const { call } = useSession();
  const [code, setCode] = useState('');
  const [isRecovery, setIsRecovery] = useState(false);
  const action = useAction(async () => {
    await call((token) => securityApi.prove(token, { code: code.replaceAll(' ', '') }));
    onProven();
  });
  const Input = isRecovery ? RecoveryCodeInput : DigitsInput;
  return (
    <>
      <Form action={action} submit={texts.submit} words={codeProblems}>
        <Input value={code} onChange={setCode} />
      </Form>
      <Button
        look="link"
        onClick={() => {
          setIsRecovery(!isRecovery);
          setCode('');
        }}
      >
        {isRecovery ? texts.useApp : texts.useRecovery}
      </Button>
    </>
  );
}

/** The password, and the code that it sends where the second factor is one by e-mail. */
function PasswordProof({ onProven }: WayProps) {
  const texts = useTexts(PROOF_TEXTS);
  const factor = useTexts(SECOND_FACTOR_TEXTS);
  const words = useTexts(SIGN_IN_TEXTS);
  const { call } = useSession();
  const [password, setPassword] = useState('');
  const [challengeId, setChallengeId] = useState<string>();
  const [code, setCode] = useState('');
  const action = useAction(async () => {
    const proof = challengeId === undefined ? { password } : { password, challengeId, code: code.replaceAll(' ', '') };
    const sent = await call((token) => securityApi.prove(token, proof));
    if (sent?.mfaRequired) setChallengeId(sent.challengeId);
    else onProven();
  });
  if (challengeId !== undefined) {
    return (
      <Form key="code" action={action} submit={factor.submit} words={texts.codeProblems}>
        <p role="status">{factor.mailText}</p>
        <DigitsInput value={code} onChange={setCode} />
      </Form>
    );
  }
  return (
    <Form key="password" action={action} submit={factor.submit} words={texts.passwordProblems}>
      <TextInput
        label={words.password}
        type="password"
        autoComplete="current-password"
        maxLength={256}
        value={password}
        onChange={setPassword}
      />
    </Form>
  );
}

/** Of a call that needs a recent proof; undefined when the person did not give one. */
type Proven<Answer> = { readonly answer: Answer } | undefined;

type CallProven = <Answer>(make: (token: string) => Promise<Answer>) => Promise<Proven<Answer>>;

const ProofContext = createContext<CallProven | undefined>(undefined);

export function useProof(): CallProven {
  const callProven = useContext(ProofContext);
  if (!callProven) throw new Error('There is no ProofProvider around this component');
  return callProven;
}

/** Asks the person to prove again who they are, whenever a call below needs it, and makes the call again. */
export function ProofProvider({ children }: { readonly children: ReactNode }) {
  const { call } = useSession();
  const [isAsking, setIsAsking] = useState(false);
  const asked = useRef<{ readonly answer: Promise<boolean>; readonly give: (isProven: boolean) => void }>(undefined);
  const answer = useCallback((isProven: boolean): void => {
    setIsAsking(false);
    asked.current?.give(isProven);
    asked.current = undefined;
  }, []);
  // Two calls that are refused at once wait for one answer.
  const ask = useCallback((): Promise<boolean> => {
    if (!asked.current) {
      let give: (isProven: boolean) => void = () => undefined;
      const given = new Promise<boolean>((resolve) => {
        give = resolve;
      });
      asked.current = { answer: given, give };
      setIsAsking(true);
    }
    return asked.current.answer;
  }, []);
  const callProven = useCallback<CallProven>(
    async (make) => {
      const options = { isProofAskedFor: true };
      try {
        return { answer: await call(make, options) };
      } catch (problem) {
        if (!(problem instanceof ApiProblem && problem.code === 'STEP_UP_REQUIRED')) throw problem;
      }
      return (await ask()) ? { answer: await call(make, options) } : undefined;
    },
    [call, ask],
  );
  return (
    <ProofContext value={callProven}>
      {children}
      {isAsking ? <ProofDialog onAnswer={answer} /> : null}
    </ProofContext>
  );
}
