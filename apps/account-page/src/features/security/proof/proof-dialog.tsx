import { Button, Loading, useTexts } from '@crm/ui';
import { useState } from 'react';
import { securityApi } from '../../../api/security-api.js';
import { Dialog } from '../../../parts/dialog.js';
import { Form } from '../../../parts/form.js';
import { PAGE_TEXTS } from '../../../parts/parts.texts.js';
import { TextInput } from '../../../parts/text-input.js';
import { ProblemText } from '../../../problems/problem-text.js';
import { useSession } from '../../../session.js';
import { useAction } from '../../../use-action.js';
import { useLoaded } from '../../../use-loaded.js';
import { DigitsInput, RecoveryCodeInput } from '../../sign-in/code-inputs.js';
import { askForPasskey, knowsPasskeys } from '../../sign-in/passkey.js';
import { SECOND_FACTOR_TEXTS } from '../../sign-in/second-factor.texts.js';
import { SIGN_IN_TEXTS } from '../../sign-in/sign-in.texts.js';
import { PROOF_TEXTS } from './proof.texts.js';

/** What there is to prove oneself with. */
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
