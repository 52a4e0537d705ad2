import { Button, Loading, useTexts } from '@crm/ui';
import { lazy, Suspense, useState } from 'react';
import { type AuthenticatorSetup, accountApi, type Tokens } from '../../api/account-api.js';
import { Form } from '../../parts/form.js';
import { Page } from '../../parts/page.js';
import { PAGE_TEXTS } from '../../parts/parts.texts.js';
import { useAction } from '../../use-action.js';
import { DigitsInput } from './code-inputs.js';
import { SECOND_FACTOR_TEXTS } from './second-factor.texts.js';

/** Few sign-ins need it. */
const QrCode = lazy(() => import('./qr-code.js'));

export interface EnrolmentProps {
  readonly token: string;
  readonly onEnrolled: (enrolled: Tokens & { readonly recoveryCodes: readonly string[] }) => void;
  readonly onRestart: () => void;
}

/** The authenticator that a workspace demands, set up within the sign-in. */
export function Enrolment({ token, onEnrolled, onRestart }: EnrolmentProps) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  const { working } = useTexts(PAGE_TEXTS);
  const [setup, setSetup] = useState<AuthenticatorSetup>();
  const [code, setCode] = useState('');
  const start = useAction(async () => setSetup(await accountApi.startEnrolment(token)));
  const confirm = useAction(async () => onEnrolled(await accountApi.confirmEnrolment(token, code.replaceAll(' ', ''))));
  const again = (
    <Button look="link" onClick={onRestart}>
      {texts.again}
    </Button>
  );

  if (!setup) {
    return (
      <Page title={texts.enrolTitle}>
        <p>{texts.enrolText}</p>
        <Form action={start} submit={texts.enrolStart} words={texts.enrolProblems} />
        {start.problem ? again : null}
      </Page>
    );
  }
  return (
    <Page title={texts.enrolTitle}>
      <p>{texts.scanText}</p>
      <Suspense fallback={<Loading label={working} />}>
        <QrCode text={setup.otpauthUri} label={texts.qrLabel} />
      </Suspense>
      <p className="muted">
        {texts.secretText} <code>{setup.secret}</code>
      </p>
      <Form action={confirm} submit={texts.confirm} words={texts.enrolProblems}>
        <DigitsInput value={code} onChange={setCode} />
      </Form>
      {confirm.problem ? again : null}
    </Page>
  );
}
