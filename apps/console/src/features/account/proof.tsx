import { ApiProblem } from '@crm/api-client';
import { catalogue, LoadingLines, useTexts } from '@crm/ui';
import { Anchor, Button, Divider, Stack, Text } from '@mantine/core';
import { useInputState } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react';
import { ownPath } from '../../session/way-back.js';
import { DigitsInput, OtherCode, RecoveryCodeInput } from '../sign-in/code-inputs.js';
import { Question } from '../sign-in/parts/confirm.js';
import { Form } from '../sign-in/parts/form.js';
import { PAGE_TEXTS } from '../sign-in/parts/parts.texts.js';
import { CurrentPasswordInput } from '../sign-in/parts/passwords.js';
import { ProblemText } from '../sign-in/parts/problem-text.js';
import { askForPasskey, knowsPasskeys } from '../sign-in/passkey.js';
import { SECOND_FACTOR_TEXTS } from '../sign-in/second-factor.texts.js';
import { SIGN_IN_TEXTS } from '../sign-in/sign-in.texts.js';
import type { AccountApi } from './account.api.js';
import { useAccountApi } from './use-account-api.js';

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

const ways = async (api: AccountApi) => {
  const [factor, { data }] = await Promise.all([api.secondFactor(), api.passkeys()]);
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
  const api = useAccountApi();
  const { data, error } = useQuery({ queryKey: ['ways'], queryFn: () => ways(api), gcTime: 0 });
  const onProven = (): void => onAnswer(true);
  // An identity provider has to ask who somebody is, not say that it knows.
  const signInAgain = (): void => {
    const back = ownPath(location.pathname + location.search) ?? '/';
    location.assign(`/account/sign-in?fresh=1&next=${encodeURIComponent(back)}`);
  };
  return (
    <Question title={texts.title} onClose={() => onAnswer(false)}>
      <Text>{texts.text}</Text>
      {error ? <ProblemText problem={error} /> : null}
      {data || error ? null : <LoadingLines label={working} lines={3} />}
      {data?.hasPasskey && knowsPasskeys() ? <PasskeyProof onProven={onProven} /> : null}
      {data ? data.hasAuthenticator ? <CodeProof onProven={onProven} /> : <PasswordProof onProven={onProven} /> : null}
      <Anchor component="button" type="button" onClick={signInAgain}>
        {texts.signInAgain}
      </Anchor>
      <Button variant="default" onClick={() => onAnswer(false)}>
        {cancel}
      </Button>
    </Question>
  );
}

interface WayProps {
  readonly onProven: () => void;
}

function PasskeyProof({ onProven }: WayProps) {
  const texts = useTexts(PROOF_TEXTS);
  const { or } = useTexts(SIGN_IN_TEXTS);
  const api = useAccountApi();
  const action = useMutation({
    /** @returns whether a passkey was used */
    mutationFn: async () => {
      const answer = await askForPasskey(await api.provingPasskeyOptions());
      if (!answer) return false;
      await api.proveWithPasskey(answer);
      onProven();
      return true;
    },
  });
  return (
    <Stack gap="sm">
      <Button variant="default" onClick={() => action.mutate()} loading={action.isPending}>
        {texts.passkey}
      </Button>
      {action.error ? <ProblemText problem={action.error} words={texts.passkeyProblems} /> : null}
      {action.data === false ? <Text role="status">{texts.noPasskeyUsed}</Text> : null}
      <Divider label={or} />
    </Stack>
  );
}

function CodeProof({ onProven }: WayProps) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  const { codeProblems } = useTexts(PROOF_TEXTS);
  const api = useAccountApi();
  const [code, setCode] = useInputState('');
  const [isRecovery, setIsRecovery] = useState(false);
  const action = useMutation({
    mutationFn: () => api.prove({ code: code.replaceAll(' ', '') }),
    onSuccess: onProven,
  });
  const Input = isRecovery ? RecoveryCodeInput : DigitsInput;
  return (
    <>
      <Form action={action} submit={texts.submit} words={codeProblems}>
        <Input value={code} onChange={setCode} />
      </Form>
      <OtherCode
        isRecovery={isRecovery}
        onChange={(next) => {
          setIsRecovery(next);
          setCode('');
        }}
      />
    </>
  );
}

/** The password, and the code that it sends where the second factor is one by e-mail. */
function PasswordProof({ onProven }: WayProps) {
  const texts = useTexts(PROOF_TEXTS);
  const factor = useTexts(SECOND_FACTOR_TEXTS);
  const words = useTexts(SIGN_IN_TEXTS);
  const api = useAccountApi();
  const [password, setPassword] = useInputState('');
  const [challengeId, setChallengeId] = useState<string>();
  const [code, setCode] = useInputState('');
  const action = useMutation({
    mutationFn: () =>
      api.prove(challengeId === undefined ? { password } : { password, challengeId, code: code.replaceAll(' ', '') }),
    onSuccess: (sent) => {
      if (sent?.mfaRequired) setChallengeId(sent.challengeId);
      else onProven();
    },
  });
  if (challengeId !== undefined) {
    return (
      <Form key="code" action={action} submit={factor.submit} words={texts.codeProblems}>
        <Text role="status">{factor.mailText}</Text>
        <DigitsInput value={code} onChange={setCode} />
      </Form>
    );
  }
  return (
    <Form key="password" action={action} submit={factor.submit} words={texts.passwordProblems}>
      <CurrentPasswordInput label={words.password} value={password} onChange={setPassword} />
    </Form>
  );
}

/** Of a call that needs a recent proof; undefined when the person did not give one. */
type Proven<Answer> = { readonly answer: Answer } | undefined;

type CallProven = <Answer>(make: () => Promise<Answer>) => Promise<Proven<Answer>>;

const ProofContext = createContext<CallProven | undefined>(undefined);

export function useProof(): CallProven {
  const callProven = useContext(ProofContext);
  if (!callProven) throw new Error('There is no ProofProvider around this component');
  return callProven;
}

function pending() {
  let resolve: (isProven: boolean) => void = () => undefined;
  const promise = new Promise<boolean>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Asks the person to prove again who they are, whenever a call below needs it, and makes the call again. */
export function ProofProvider({ children }: { readonly children: ReactNode }) {
  const [isAsking, setIsAsking] = useState(false);
  const asked = useRef<{ readonly promise: Promise<boolean>; readonly resolve: (isProven: boolean) => void }>(
    undefined,
  );
  const answer = useCallback((isProven: boolean): void => {
    setIsAsking(false);
    asked.current?.resolve(isProven);
    asked.current = undefined;
  }, []);
  const callProven = useCallback<CallProven>(async (make) => {
    try {
      return { answer: await make() };
    } catch (problem) {
      if (!(problem instanceof ApiProblem && problem.code === 'STEP_UP_REQUIRED')) throw problem;
    }
    // Two calls that are refused at once wait for one answer.
    asked.current ??= pending();
    setIsAsking(true);
    return (await asked.current.promise) ? { answer: await make() } : undefined;
  }, []);
  return (
    <ProofContext value={callProven}>
      {children}
      {isAsking ? <ProofDialog onAnswer={answer} /> : null}
    </ProofContext>
  );
}
