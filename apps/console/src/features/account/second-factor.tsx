import { plural, useLocale, useTexts } from '@crm/ui';
import { Button, Text } from '@mantine/core';
import { useInputState } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { DigitsInput, RecoveryCodes } from '../sign-in/code-inputs.js';
import { Confirm, Question } from '../sign-in/parts/confirm.js';
import { Form } from '../sign-in/parts/form.js';
import { Page } from '../sign-in/parts/page.js';
import { PAGE_TEXTS } from '../sign-in/parts/parts.texts.js';
import { CurrentPasswordInput } from '../sign-in/parts/passwords.js';
import { ProblemText } from '../sign-in/parts/problem-text.js';
import { SECOND_FACTOR_TEXTS } from '../sign-in/second-factor.texts.js';
import type { AuthenticatorSetup } from '../sign-in/sign-in.api.js';
import { AuthenticatorSetUp } from '../sign-in/sign-in.js';
import { SIGN_IN_TEXTS } from '../sign-in/sign-in.texts.js';
import type { SecondFactor } from './account.api.js';
import { useProof } from './proof.js';
import { FACTOR_TEXTS } from './second-factor.texts.js';
import { SECURITY_TEXTS } from './security.texts.js';
import { Topic, type TopicViewProps, useTopicQuery, WhenLoaded } from './topic.js';
import { useAccountApi } from './use-account-api.js';

interface AuthenticatorFormProps {
  readonly setup: AuthenticatorSetup;
  readonly onConfirmed: (recoveryCodes: readonly string[]) => void;
  readonly onCancel: () => void;
}

/** An authenticator app counts once a code of it has been typed in. */
function AuthenticatorForm({ setup, onConfirmed, onCancel }: AuthenticatorFormProps) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  const { setUpTitle, problems } = useTexts(FACTOR_TEXTS);
  const { cancel } = useTexts(PAGE_TEXTS);
  const api = useAccountApi();
  const callProven = useProof();
  const [code, setCode] = useInputState('');
  const confirm = useMutation({
    mutationFn: () => callProven(() => api.confirmAuthenticator(code.replaceAll(' ', ''))),
    onSuccess: (confirmed) => {
      if (confirmed) onConfirmed(confirmed.answer.recoveryCodes);
    },
  });
  return (
    <Page title={setUpTitle}>
      <AuthenticatorSetUp setup={setup} />
      <Form action={confirm} submit={texts.confirm} words={problems}>
        <DigitsInput value={code} onChange={setCode} />
      </Form>
      <Button variant="default" onClick={onCancel}>
        {cancel}
      </Button>
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
  const api = useAccountApi();
  const callProven = useProof();
  const [password, setPassword] = useInputState('');
  const action = useMutation({
    mutationFn: () => callProven(() => api.setSecondFactor(!isOn, password)),
    onSuccess: (set) => {
      if (set) onDone(isOn ? texts.mailIsOff : texts.mailIsOn);
    },
  });
  const act = isOn ? texts.mailOff : texts.mailOn;
  return (
    <Question title={act} onClose={onClose}>
      <Text>{isOn ? texts.mailOffText : texts.mailOnText}</Text>
      <Form action={action} submit={act} words={texts.passwordProblems}>
        <CurrentPasswordInput label={label} value={password} onChange={setPassword} />
      </Form>
      <Button variant="default" onClick={onClose}>
        {cancel}
      </Button>
    </Question>
  );
}

type Step =
  | { readonly name: 'setup'; readonly setup: AuthenticatorSetup }
  | { readonly name: 'codes'; readonly codes: readonly string[]; readonly outcome: string };

/** What a sign-in asks for besides the password. */
export function SecondFactorTopic({ onBack }: TopicViewProps) {
  const { topics } = useTexts(SECURITY_TEXTS);
  const texts = useTexts(FACTOR_TEXTS);
  const api = useAccountApi();
  const callProven = useProof();
  const loaded = useTopicQuery('second-factor', api.secondFactor);
  const [outcome, setOutcome] = useState<string>();
  const [step, setStep] = useState<Step>();
  const [asking, setAsking] = useState<'remove' | 'mail'>();
  const done = (text: string | undefined): void => {
    setStep(undefined);
    setAsking(undefined);
    setOutcome(text);
    void loaded.refetch();
  };
  const start = useMutation({
    mutationFn: () => callProven(api.startAuthenticator),
    onSuccess: (started) => {
      if (started) setStep({ name: 'setup', setup: started.answer });
    },
  });
  const replace = useMutation({
    mutationFn: () => callProven(api.newRecoveryCodes),
    onSuccess: (replaced) => {
      if (replaced) setStep({ name: 'codes', codes: replaced.answer.recoveryCodes, outcome: texts.replaced });
    },
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
                <Button variant="default" onClick={() => replace.mutate()} loading={replace.isPending}>
                  {texts.replace}
                </Button>
                <Button variant="default" onClick={() => setAsking('remove')}>
                  {texts.remove}
                </Button>
              </>
            ) : (
              <>
                <Button variant="default" onClick={() => start.mutate()} loading={start.isPending}>
                  {texts.setUp}
                </Button>
                {factor.enabled && factor.required ? null : (
                  <Button variant="default" onClick={() => setAsking('mail')}>
                    {factor.enabled ? texts.mailOff : texts.mailOn}
                  </Button>
                )}
              </>
            )}
            {start.error ? <ProblemText problem={start.error} words={texts.problems} /> : null}
            {replace.error ? <ProblemText problem={replace.error} words={texts.problems} /> : null}
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
            if (await callProven(api.removeAuthenticator)) done(texts.removed);
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
    <div>
      <Text fw={600}>{authenticator ? texts.isApp : enabled ? texts.isMail : texts.isOff}</Text>
      {authenticator ? <Text>{plural(tag, recoveryCodesLeft, texts.codesLeft)}</Text> : null}
      {required ? <Text c="dimmed">{texts.required}</Text> : null}
    </div>
  );
}
