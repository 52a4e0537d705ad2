import { ApiProblem } from '@crm/api-client';
import { CurrentPasswordInput, catalogue, Form, Loaded, PAGE_TEXTS, Question, useTexts, type Values } from '@crm/ui';
import { Anchor, Button, Divider, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react';
import { ownPath } from '../../session/way-back.js';
import { CodeForm } from '../sign-in/code-inputs.js';
import { PasskeyButton } from '../sign-in/passkey.js';
import { SECOND_FACTOR_TEXTS } from '../sign-in/second-factor.texts.js';
import { SIGN_IN_TEXTS } from '../sign-in/sign-in.texts.js';
import { type AccountApi, type Proof, useAccountApi } from './account.api.js';

const PROOF_TEXTS = catalogue({
  en: {
    title: 'Prove that it is you',
    text: 'Whoever changes this could take over your account, so you are asked again. It counts for some minutes.',
    passkey: 'Use a passkey',
    noPasskeyUsed: 'No passkey was used. Try again, or choose another way.',
    signInAgain: 'Sign in again instead',
    passkeyProblems: { INVALID_CREDENTIALS: 'This passkey is not one of your account.' },
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
    passwordProblems: {
      INVALID_CREDENTIALS: 'Das Passwort ist falsch. Wenn Ihr Konto keines hat, melden Sie sich stattdessen erneut an.',
    },
  },
});

const ways = async (api: AccountApi) => {
  const [factor, { data }] = await Promise.all([api.secondFactor(), api.passkeys()]);
  return { hasAuthenticator: factor.authenticator, hasPasskey: data.length > 0 };
};

interface ProofDialogProps {
  /** @param isProven false when it was closed */
  readonly onAnswer: (isProven: boolean) => void;
}

/** Asks for what proves who uses the session: a passkey, a code of the authenticator, or the password. */
function ProofDialog({ onAnswer }: ProofDialogProps) {
  const texts = useTexts(PROOF_TEXTS);
  const { or } = useTexts(SIGN_IN_TEXTS);
  const { cancel, working } = useTexts(PAGE_TEXTS);
  const api = useAccountApi();
  const query = useQuery({ queryKey: ['ways'], queryFn: () => ways(api), gcTime: 0 });
  // An identity provider has to ask who someone is, not say that it knows.
  const signInAgain = (): void => {
    const back = ownPath(location.pathname + location.search) ?? '/';
    location.assign(`/account/sign-in?fresh=1&next=${encodeURIComponent(back)}`);
  };
  return (
    <Question title={texts.title} onClose={() => onAnswer(false)}>
      <Text>{texts.text}</Text>
      <Loaded query={query} label={working} lines={3}>
        {({ hasPasskey, hasAuthenticator }) => (
          <>
            {hasPasskey ? (
              <Stack gap="sm">
                <PasskeyButton
                  label={texts.passkey}
                  words={texts.passkeyProblems}
                  unused={texts.noPasskeyUsed}
                  options={api.provingPasskeyOptions}
                  onAnswer={async (answer) => {
                    await api.proveWithPasskey(answer);
                    onAnswer(true);
                  }}
                  after={<Divider label={or} />}
                />
              </Stack>
            ) : null}
            <TypedProof takesPassword={!hasAuthenticator} onProven={() => onAnswer(true)} />
          </>
        )}
      </Loaded>
      <Anchor component="button" type="button" onClick={signInAgain}>
        {texts.signInAgain}
      </Anchor>
      <Button variant="default" onClick={() => onAnswer(false)}>
        {cancel}
      </Button>
    </Question>
  );
}

interface TypedProofProps {
  /** Without an authenticator it is the password, and the code that it sends where the second factor is one by e-mail. */
  readonly takesPassword: boolean;
  readonly onProven: () => void;
}

function TypedProof({ takesPassword, onProven }: TypedProofProps) {
  const texts = useTexts(PROOF_TEXTS);
  const { submit, mailText } = useTexts(SECOND_FACTOR_TEXTS);
  const { password: label } = useTexts(SIGN_IN_TEXTS);
  const api = useAccountApi();
  /** What a code completes. */
  const [awaited, setAwaited] = useState<Proof>();
  const prove = async (proof: Proof): Promise<void> => {
    const sent = await api.prove(proof);
    if (sent?.mfaRequired) setAwaited({ ...proof, challengeId: sent.challengeId });
    else onProven();
  };
  const action = useMutation({ mutationFn: ({ password }: Values) => prove({ password }) });
  if (awaited || !takesPassword) {
    return (
      <CodeForm
        text={awaited && mailText}
        takesRecovery={!takesPassword}
        onCode={(code) => prove({ ...awaited, code })}
      />
    );
  }
  return (
    <Form action={action} submit={submit} words={texts.passwordProblems}>
      <CurrentPasswordInput label={label} />
    </Form>
  );
}

/** The answer of a call that needs a recent proof; undefined when the person did not give one. */
type Proven<Answer> = { readonly answer: Answer } | undefined;

/** Nothing that can be proven within the session helps. */
const isUnrecoverable = ({ proofs }: ApiProblem): boolean => proofs?.length === 0;

type CallProven = <Answer>(make: () => Promise<Answer>) => Promise<Proven<Answer>>;

const ProofContext = createContext<CallProven | undefined>(undefined);

export function useProof(): CallProven {
  const callProven = useContext(ProofContext);
  if (!callProven) throw new Error('There is no ProofProvider around this component');
  return callProven;
}

/** Asks the person to prove again who they are, whenever a call below needs it, and makes the call again. */
export function ProofProvider({ children }: { readonly children: ReactNode }) {
  // Calls that are refused at once wait for one answer, also those that are while the proof is on its way.
  const waiting = useRef<((isProven: boolean) => void)[]>([]);
  const [isAsking, setAsking] = useState(false);
  const answer = (isProven: boolean): void => {
    setAsking(false);
    for (const settle of waiting.current.splice(0)) settle(isProven);
  };
  const callProven = useCallback<CallProven>(async (make) => {
    try {
      return { answer: await make() };
    } catch (problem) {
      if (!(problem instanceof ApiProblem && problem.code === 'STEP_UP_REQUIRED') || isUnrecoverable(problem))
        throw problem;
    }
    setAsking(true);
    const isProven = await new Promise<boolean>((settle) => waiting.current.push(settle));
    return isProven ? { answer: await make() } : undefined;
  }, []);
  return (
    <ProofContext value={callProven}>
      {children}
      {isAsking ? <ProofDialog onAnswer={answer} /> : null}
    </ProofContext>
  );
}
