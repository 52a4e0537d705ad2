import { Button, Loading, useTexts } from '@crm/ui';
import { lazy, Suspense, useState } from 'react';
import type { AuthenticatorSetup } from '../../../api/account-api.js';
import { securityApi } from '../../../api/security-api.js';
import { Form } from '../../../parts/form.js';
import { Page } from '../../../parts/page.js';
import { PAGE_TEXTS } from '../../../parts/parts.texts.js';
import { useAction } from '../../../use-action.js';
import { DigitsInput } from '../../sign-in/code-inputs.js';
import { SECOND_FACTOR_TEXTS } from '../../sign-in/second-factor.texts.js';
import { useProof } from '../proof/proof.js';
import { FACTOR_TEXTS } from './second-factor.texts.js';

const QrCode = lazy(() => import('../../sign-in/qr-code.js'));

export interface AuthenticatorFormProps {
  readonly setup: AuthenticatorSetup;
  readonly onConfirmed: (recoveryCodes: readonly string[]) => void;
  readonly onCancel: () => void;
}

/** An authenticator app counts once a code of it has been typed in. */
export function AuthenticatorForm({ setup, onConfirmed, onCancel }: AuthenticatorFormProps) {
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
