import { useTexts } from '@crm/ui';
import { useState } from 'react';
import { accountApi, type SignInAnswer } from '../../api/account-api.js';
import { knownDevices } from '../../known-devices.js';
import { Form } from '../../parts/form.js';
import { Page } from '../../parts/page.js';
import { TextInput } from '../../parts/text-input.js';
import { useSession } from '../../session.js';
import { useAction } from '../../use-action.js';
import { ForgotLink } from './forgot-link.js';
import { PasskeyButton } from './passkey-button.js';
import { ProviderButtons } from './provider-buttons.js';
import { SIGN_IN_TEXTS } from './sign-in.texts.js';

export interface FirstFactorProps {
  readonly title: string | undefined;
  readonly lead: string | undefined;
  /** @param email of the account, where it was typed in */
  readonly onAnswer: (answer: SignInAnswer, email?: string) => void;
}

/** Who somebody is: with a password, a passkey, or through the identity provider of their workspace. */
export function FirstFactor({ title, lead, onAnswer }: FirstFactorProps) {
  const texts = useTexts(SIGN_IN_TEXTS);
  const { hasEnded } = useSession();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const action = useAction(async () => {
    try {
      const account = email.trim();
      onAnswer(await accountApi.signIn(account, password, await knownDevices(window).tokenFor(account)), account);
    } finally {
      setPassword('');
    }
  });

  return (
    <Page title={title ?? texts.title}>
      {hasEnded ? (
        <p className="problem" role="alert">
          {texts.ended}
        </p>
      ) : null}
      {lead ? <p>{lead}</p> : null}
      <Form action={action} submit={texts.submit} words={texts.problems}>
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="username"
          maxLength={254}
          value={email}
          onChange={setEmail}
        />
        <TextInput
          label={texts.password}
          type="password"
          autoComplete="current-password"
          maxLength={256}
          value={password}
          onChange={setPassword}
        />
      </Form>
      <ForgotLink />
      <ProviderButtons email={email.trim()} />
      <PasskeyButton onAnswer={onAnswer} />
    </Page>
  );
}
