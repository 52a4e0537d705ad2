import { Button, plural, useLocale, useTexts } from '@crm/ui';
import { useState } from 'react';
import { type AuthenticatorSetup } from '../../../api/account-api.js';
import { type SecondFactor, securityApi } from '../../../api/security-api.js';
import { Confirm } from '../../../parts/confirm.js';
import { ProblemText } from '../../../problems/problem-text.js';
import { useAction } from '../../../use-action.js';
import { useLoaded } from '../../../use-loaded.js';
import { RecoveryCodes } from '../../sign-in/recovery-codes.js';
import { Topic, type TopicViewProps, WhenLoaded } from '../parts/topic.js';
import { useProof } from '../proof/proof.js';
import { SECURITY_TEXTS } from '../security.texts.js';
import { AuthenticatorForm } from './authenticator-form.js';
import { MailCodes } from './mail-codes.js';
import { FACTOR_TEXTS } from './second-factor.texts.js';

/** What is open in place of the overview. */
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
