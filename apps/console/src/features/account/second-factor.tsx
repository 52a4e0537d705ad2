import {
  Act,
  CurrentPasswordInput,
  Loaded,
  PAGE_TEXTS,
  Page,
  ProblemNotice,
  plural,
  useLocale,
  useTexts,
} from '@crm/ui';
import { Button, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { AuthenticatorForm, RecoveryCodes } from '../sign-in/code-inputs.js';
import { SIGN_IN_TEXTS } from '../sign-in/sign-in.texts.js';
import { type SecondFactor as Factor, useAccountApi } from './account.api.js';
import { useProof } from './proof.js';
import { FACTOR_TEXTS } from './second-factor.texts.js';
import { Topic, useSay } from './topic.js';

/** An authenticator that is being set up, or recovery codes to keep and what was done with them. */
type Step =
  | { readonly setup: { readonly secret: string; readonly otpauthUri: string } }
  | { readonly codes: readonly string[]; readonly outcome: string };

/** What a sign-in asks for besides the password. */
export function SecondFactor() {
  const texts = useTexts(FACTOR_TEXTS);
  const { working } = useTexts(PAGE_TEXTS);
  const { password: label } = useTexts(SIGN_IN_TEXTS);
  const api = useAccountApi();
  const callProven = useProof();
  const say = useSay();
  const query = useQuery({ queryKey: ['second-factor'], queryFn: api.secondFactor, gcTime: 0 });
  const [step, setStep] = useState<Step>();
  const done = (outcome?: string): void => {
    setStep(undefined);
    say(outcome);
    void query.refetch();
  };
  const begin = useMutation({
    mutationFn: async (what: 'setup' | 'codes') => {
      if (what === 'setup') {
        const started = await callProven(api.startAuthenticator);
        if (started) setStep({ setup: started.answer });
      } else {
        const replaced = await callProven(api.newRecoveryCodes);
        if (replaced) setStep({ codes: replaced.answer.recoveryCodes, outcome: texts.replaced });
      }
    },
  });
  if (step && 'codes' in step) return <RecoveryCodes codes={step.codes} onKept={() => done(step.outcome)} />;
  if (step) {
    return (
      <Page title={texts.setUp}>
        <AuthenticatorForm
          setup={step.setup}
          words={texts.problems}
          onCode={async (code) => {
            const confirmed = await callProven(() => api.confirmAuthenticator(code));
            if (confirmed) setStep({ codes: confirmed.answer.recoveryCodes, outcome: texts.inUse });
          }}
          onCancel={() => done()}
        />
      </Page>
    );
  }
  return (
    <Topic lead={texts.lead}>
      <Loaded query={query} label={working} lines={4}>
        {(factor) => (
          <>
            <FactorText factor={factor} />
            <Button
              variant="default"
              onClick={() => begin.mutate(factor.authenticator ? 'codes' : 'setup')}
              loading={begin.isPending}
            >
              {factor.authenticator ? texts.replace : texts.setUp}
            </Button>
            {factor.authenticator ? (
              <Act
                act={texts.remove}
                title={texts.removeTitle}
                text={texts.removeText}
                words={texts.problems}
                onAct={async () => {
                  if (!(await callProven(api.removeAuthenticator))) return false;
                  done(texts.removed);
                }}
              />
            ) : null}
            {factor.authenticator || (factor.enabled && factor.required) ? null : (
              <Act
                act={factor.enabled ? texts.mailOff : texts.mailOn}
                title={factor.enabled ? texts.mailOff : texts.mailOn}
                text={factor.enabled ? texts.mailOffText : texts.mailOnText}
                words={texts.passwordProblems}
                onAct={async ({ password = '' }) => {
                  // Anyone who has found an open page does not know it.
                  if (!(await callProven(() => api.setSecondFactor(!factor.enabled, password)))) return false;
                  done(factor.enabled ? texts.mailIsOff : texts.mailIsOn);
                }}
              >
                <CurrentPasswordInput label={label} />
              </Act>
            )}
            {begin.error ? <ProblemNotice problem={begin.error} words={texts.problems} /> : null}
          </>
        )}
      </Loaded>
    </Topic>
  );
}

function FactorText({ factor }: { readonly factor: Factor }) {
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
