import { Button, useTexts } from '@crm/ui';
import { useState } from 'react';
import { securityApi } from '../../../api/security-api.js';
import { Dialog } from '../../../parts/dialog.js';
import { Form } from '../../../parts/form.js';
import { PAGE_TEXTS } from '../../../parts/parts.texts.js';
import { TextInput } from '../../../parts/text-input.js';
import { useAction } from '../../../use-action.js';
import { SIGN_IN_TEXTS } from '../../sign-in/sign-in.texts.js';
import { useProof } from '../proof/proof.js';
import { FACTOR_TEXTS } from './second-factor.texts.js';

export interface MailCodesProps {
  readonly isOn: boolean;
  readonly onDone: (outcome: string) => void;
  readonly onClose: () => void;
}

/** Codes by e-mail are turned on and off with the password, which whoever has found an open page does not know. */
export function MailCodes({ isOn, onDone, onClose }: MailCodesProps) {
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
