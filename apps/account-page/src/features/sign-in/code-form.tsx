import { Button, useTexts } from '@crm/ui';
import { useState } from 'react';
import { accountApi, type CodeWanted, type Tokens } from '../../api/account-api.js';
import { Form } from '../../parts/form.js';
import { Page } from '../../parts/page.js';
import { useAction } from '../../use-action.js';
import { DigitsInput, RecoveryCodeInput } from './code-inputs.js';
import { SECOND_FACTOR_TEXTS } from './second-factor.texts.js';

export interface CodeFormProps {
  readonly wanted: CodeWanted;
  readonly onTokens: (tokens: Tokens) => void;
  readonly onRestart: () => void;
}

/** The second factor: the code of a mail or of an app, or a recovery code in its place. */
export function CodeForm({ wanted: { challengeId, methods }, onTokens, onRestart }: CodeFormProps) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  const [code, setCode] = useState('');
  const [isRecovery, setIsRecovery] = useState(false);
  const action = useAction(async () => onTokens(await accountApi.verifyCode(challengeId, code.replaceAll(' ', ''))));
  const change = (recovery: boolean): void => {
    setIsRecovery(recovery);
    setCode('');
  };
  const text = methods.includes('mail') ? texts.mailText : texts.appText;

  return (
    <Page title={texts.title}>
      <p>{isRecovery ? texts.recoveryText : text}</p>
      <Form action={action} submit={texts.submit} words={texts.problems}>
        {isRecovery ? (
          <RecoveryCodeInput value={code} onChange={setCode} />
        ) : (
          <DigitsInput value={code} onChange={setCode} />
        )}
      </Form>
      {methods.includes('recovery_code') ? (
        <Button look="link" onClick={() => change(!isRecovery)}>
          {isRecovery ? texts.useApp : texts.useRecovery}
        </Button>
      ) : null}
      <Button look="link" onClick={onRestart}>
        {texts.again}
      </Button>
    </Page>
  );
}
