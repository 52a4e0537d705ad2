import { Button, useTexts } from '@crm/ui';
import { useState } from 'react';
import { accountApi, type CodeWanted, type SignInAnswer } from '../../api/account-api.js';
import { Form } from '../../parts/form.js';
import { Page } from '../../parts/page.js';
import { useAction } from '../../use-action.js';
import { DigitsInput, RecoveryCodeInput } from './code-inputs.js';
import { PasskeyButton } from './passkey-button.js';
import { SECOND_FACTOR_TEXTS } from './second-factor.texts.js';

export interface CodeFormProps {
  readonly wanted: CodeWanted;
  readonly onAnswer: (answer: SignInAnswer) => void;
  readonly onRestart: () => void;
}

/** The second factor: the code of a mail or of an app, a recovery code in its place, or a passkey, which is both factors. */
export function CodeForm({ wanted: { challengeId, methods }, onAnswer, onRestart }: CodeFormProps) {
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
