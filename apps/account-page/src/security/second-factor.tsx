import { Button, Loading, plural, useLocale, useTexts } from '@crm/ui';
import { lazy, Suspense, useState } from 'react';
import type { AuthenticatorSetup } from '../api/account-api.js';
import { type SecondFactor, securityApi } from '../api/security-api.js';
import { Confirm, Dialog } from '../parts/dialog.js';
import { Form, TextInput } from '../parts/form.js';
import { Page } from '../parts/page.js';
import { PAGE_TEXTS } from '../parts/parts.texts.js';
import { ProblemText } from '../parts/problem-text.js';
import { useLoaded } from '../session.js';
import { DigitsInput, RecoveryCodes } from '../sign-in/code-inputs.js';
import { SECOND_FACTOR_TEXTS } from '../sign-in/second-factor.texts.js';
import { SIGN_IN_TEXTS } from '../sign-in/sign-in.texts.js';
import { useAction } from '../use-action.js';
import { useProof } from './proof.js';
import { FACTOR_TEXTS } from './second-factor.texts.js';
import { SECURITY_TEXTS } from './security.texts.js';
import { Topic, type TopicViewProps, WhenLoaded } from './topic.js';

const QrCode = lazy(() => import('../sign-in/qr-code.js'));

interface AuthenticatorFormProps {
  readonly setup: AuthenticatorSetup;
  readonly onConfirmed: (recoveryCodes: readonly string[]) => void;
  readonly onCancel: () => void;
}

/** An authenticator app counts once a code of it has been typed in. */
function AuthenticatorForm({ setup, onConfirmed, onCancel }: AuthenticatorFormProps) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  const { setUpTitle, problems } = useTexts(FACTOR_TEXTS);
  const { working, cancel } = useTexts(PAGE_TEXTS);
  const callProven = useProof();
  const [code, setCode] = useState('');
  const confirm = useAction(async () => {
    const digits = code.replaceAll(' ', '');
    const confirmed = await callProven((token) => securityApi.confirmAuthenticator(token, digits));
    if (confirmed) onConfirmed(confirmed.answer.recoveryCodes);
  });
  return (
    <Page title={setUpTitle}>
      <p>{texts.scanText}</p>
      <Suspense fallback={<Loading label={working} />}>
        <QrCode text={setup.otpauthUri} label={texts.qrLabel} />
      </Suspense>
      <p className="muted">
        {texts.secretText} <code>{setup.secret}</code>
      </p>
      <Form action={confirm} submit={texts.confirm} words={problems}>
        <DigitsInput value={code} onChange={setCode} />
      </Form>
      <Button onClick={onCancel}>{cancel}</Button>
    </Page>
  );
}

interface MailCodesProps {
  readonly isOn: boolean;
  readonly onDone: (outcome: string) => void;
  readonly onClose: () => void;
}

/** Codes by e-mail are turned on and off with the password, which whoever has found an open page does not know. */
function MailCodes({ isOn, onDone, onClose }: MailCodesProps) {
  const texts = useTexts(FACTOR_TEXTS);
  const { password: label } = useTexts(SIGN_IN_TEXTS);
  const { cancel } = useTexts(PAGE_TEXTS);
  const callProven = useProof();
  const [password, setPassword] = useState('');
  const action = useAction(async () => {
    if (await callProven((token) => securityApi.setSecondFactor(token, !isOn, password))) {
      onDone(isOn ? texts.mailIsOff : texts.mailIsOn);
    }
  });
  const act = isOn ? texts.mailOff : texts.mailOn;
  return (
    <Dialog title={act} onClose={onClose}>
      <p>{isOn ? texts.mailOffText : texts.mailOnText}</p>
      <Form action={action} submit={act} words={texts.passwordProblems}>
        <TextInput
          label={label}
          type="password"
          autoComplete="current-password"
          maxLength={256}
          value={password}
          onChange={setPassword}
        />
      </Form>
      <Button onClick={onClose}>{cancel}</Button>
    </Dialog>
  );
}

type Step =
  | { readonly name: 'setup'; readonly setup: AuthenticatorSetup }
  | { readonly name: 'codes'; readonly codes: readonly string[]; readonly outcome: string };

/** What a sign-in asks for besides the password. */
export function SecondFactorTopic({ onBack }: TopicViewProps) {
  const { topics } = useTexts(SECURITY_TEXTS);
  const texts = useTexts(FACTOR_TEXTS);
  const callProven = useProof();
  const loaded = useLoaded(securityApi.secondFactor);
  const [outcome, setOutcome] = useState<string>();
  const [step, setStep] = useState<Step>();
  const [asking, setAsking] = useState<'remove' | 'mail'>();
  const done = (text: string | undefined): void => {
    setStep(undefined);
    setAsking(undefined);
    setOutcome(text);
    loaded.reload();
  };
  const start = useAction(async () => {
    const started = await callProven(securityApi.startAuthenticator);
    if (started) setStep({ name: 'setup', setup: started.answer });
  });
  const replace = useAction(async () => {
    const replaced = await callProven(securityApi.newRecoveryCodes);
    if (replaced) setStep({ name: 'codes', codes: replaced.answer.recoveryCodes, outcome: texts.replaced });
  });

  if (step?.name === 'codes') return <RecoveryCodes codes={step.codes} onKept={() => done(step.outcome)} />;
  if (step?.name === 'setup') {
    return (
      <AuthenticatorForm
        setup={step.setup}
        onConfirmed={(codes) => setStep({ name: 'codes', codes, outcome: texts.inUse })}
        onCancel={() => done(undefined)}
      />
    );
  }
  return (
    <Topic title={topics.secondFactor.title} lead={texts.lead} onBack={onBack} outcome={outcome}>
      <WhenLoaded loaded={loaded}>
        {(factor) => (
          <>
            <FactorText factor={factor} />
            {factor.authenticator ? (
              <>
                <Button onClick={replace.run} aria-busy={replace.isBusy}>
                  {texts.replace}
                </Button>
                <Button onClick={() => setAsking('remove')}>{texts.remove}</Button>
              </>
            ) : (
              <>
                <Button onClick={start.run} aria-busy={start.isBusy}>
                  {texts.setUp}
                </Button>
                {factor.enabled && factor.required ? null : (
                  <Button onClick={() => setAsking('mail')}>{factor.enabled ? texts.mailOff : texts.mailOn}</Button>
                )}
              </>
            )}
            {start.problem ? <ProblemText problem={start.problem} words={texts.problems} /> : null}
            {replace.problem ? <ProblemText problem={replace.problem} words={texts.problems} /> : null}
            {asking === 'mail' ? (
              <MailCodes isOn={factor.enabled} onDone={done} onClose={() => setAsking(undefined)} />
            ) : null}
          </>
        )}
      </WhenLoaded>
      {asking === 'remove' ? (
        <Confirm
          title={texts.removeTitle}
          text={texts.removeText}
          act={texts.remove}
          words={texts.problems}
          onAct={async () => {
            if (await callProven(securityApi.removeAuthenticator)) done(texts.removed);
          }}
          onClose={() => setAsking(undefined)}
        />
      ) : null}
    </Topic>
  );
}

function FactorText({ factor }: { readonly factor: SecondFactor }) {
  const texts = useTexts(FACTOR_TEXTS);
  const { tag } = useLocale();
  const { enabled, authenticator, recoveryCodesLeft, required } = factor;
  return (
    <div className="stack">
      <p>
        <strong>{authenticator ? texts.isApp : enabled ? texts.isMail : texts.isOff}</strong>
      </p>
      {authenticator ? <p>{plural(tag, recoveryCodesLeft, texts.codesLeft)}</p> : null}
      {required ? <p className="muted">{texts.required}</p> : null}
    </div>
  );
}
